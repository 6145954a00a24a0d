#include "core/analysis/statistics/WindowSums.h"

#include "core/analysis/statistics/TimeRanges.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trainscope::analysis {

namespace {

// Calls `use(window, part of it)` for each window that the range touches; `first` moves on to the
// first that does not end before the range.
template <typename Use>
void forEachTouched(
    const std::vector<TimeRange>& windows, std::size_t& first, TimeRange range, const Use& use) {
    while (first < windows.size() && windows[first].end <= range.begin)
        ++first;
    for (std::size_t i = first; i < windows.size() && windows[i].begin < range.end; ++i) {
        const TimeRange part = shared(range, windows[i]);
        if (!part.isEmpty())
            use(i, part);
    }
}

} // namespace

WindowSums::WindowSums(std::vector<TimeRange> windows, DurationNs gapLimit)
    : m_windows(std::move(windows))
    , m_sums(m_windows.size())
    , m_gapLimit(gapLimit) { }

void WindowSums::add(std::span<const TimeNs> times, std::span<const double> values) {
    for (std::size_t i = 0; i < std::min(times.size(), values.size()); ++i) {
        const Sample sample{times[i], values[i]};
        if (m_last)
            hold(*m_last, sample.time);
        m_last = sample;
        if (std::isnan(sample.value))
            continue;
        if (m_lastKnown)
            bridge(*m_lastKnown, sample);
        m_lastKnown = sample;
        const TimeRange moment{sample.time, sample.time + DurationNs{1}};
        forEachTouched(m_windows, m_bridgedFrom, moment, [&](std::size_t window, TimeRange) {
            auto& max = m_sums[window].max;
            max = std::max(max.value_or(sample.value), sample.value);
        });
    }
}

void WindowSums::hold(const Sample& from, TimeNs until) {
    if (std::isnan(from.value))
        return;
    forEachTouched(m_windows, m_heldFrom, {from.time, until}, [&](std::size_t i, TimeRange part) {
        m_sums[i].weighted += from.value * part.length().seconds();
        m_sums[i].heldSeconds += part.length().seconds();
    });
}

void WindowSums::bridge(const Sample& from, const Sample& to) {
    const DurationNs length = to.time - from.time;
    if (length.ns <= 0 || length > m_gapLimit)
        return;
    forEachTouched(
        m_windows, m_bridgedFrom, {from.time, to.time}, [&](std::size_t i, TimeRange part) {
            const auto at = [&](TimeNs moment) {
                return std::lerp(from.value, to.value,
                    static_cast<double>((moment - from.time).ns) / static_cast<double>(length.ns));
            };
            m_sums[i].integral += 0.5 * (at(part.begin) + at(part.end)) * part.length().seconds();
            m_sums[i].coveredSeconds += part.length().seconds();
        });
}

} // namespace trainscope::analysis
