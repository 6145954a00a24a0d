#include "importers/common/SampleStatistics.h"

#include "core/model/SamplingPeriod.h"
#include "core/model/WholeNumber.h"
#include "core/text/Times.h"

#include <algorithm>

namespace trainscope::importers {

namespace {
constexpr double kRange32 = 4294967296.0;

constexpr auto kPeriodsOfGap = static_cast<std::int64_t>(kGapPeriods);

std::optional<SamplingGroups> groupsOf(std::vector<std::int64_t> intervals) {
    const auto count = std::ssize(intervals);
    return samplingGroups(count, [&](double share) {
        const auto place = intervals.begin()
            + std::min(count - 1, static_cast<std::ptrdiff_t>(share * static_cast<double>(count)));
        std::nth_element(intervals.begin(), place, intervals.end());
        return *place;
    });
}

// Takes intervals above 0; 0 without any.
std::int64_t periodOf(const std::vector<std::int64_t>& intervals) {
    const auto groups = groupsOf(intervals);
    return groups ? nearestWhole<std::int64_t>(groups->between) : medianOf(intervals).value_or(0);
}

// Longest interval that is no gap; a hostile file can make intervals as long as time itself.
std::int64_t gapLimit(const std::vector<std::int64_t>& intervals) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / kPeriodsOfGap;
    return kPeriodsOfGap * std::min(kMost, periodOf(intervals));
}

} // namespace

std::optional<std::int64_t> medianOf(std::vector<std::int64_t> values) {
    if (values.empty())
        return std::nullopt;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

SampleStatistics SampleStatistics::of(
    std::span<const TimeNs> times, std::span<const double> values) {
    SampleStatistics all;
    if (times.empty())
        return all;
    all.m_rows = static_cast<std::int64_t>(times.size());
    all.m_lastTime = times.back();
    all.countOrder(times.front(), times.subspan(1));
    all.takeIntervals(times.front(), times.subspan(1));
    all.m_missing = std::count_if(values.begin(), values.end(), [](double v) { return v != v; });
    if (all.m_missing == 0) {
        all.takeValues(times, values);
        return all;
    }
    std::vector<TimeNs> presentTimes;
    std::vector<double> presentValues;
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (!std::isnan(values[i])) {
            presentTimes.push_back(times[i]);
            presentValues.push_back(values[i]);
        }
    }
    all.takeValues(presentTimes, presentValues);
    return all;
}

void SampleStatistics::append(SampleStatistics next, std::span<const TimeNs> times) {
    if (m_rows == 0 || next.m_rows == 0) {
        if (m_rows == 0)
            *this = std::move(next);
        return;
    }
    m_rows += next.m_rows;
    m_missing += next.m_missing;
    m_repeated += next.m_repeated;
    m_decreasing += next.m_decreasing;
    countOrder(m_lastTime, times.first(1));
    m_shortest = std::min(m_shortest, next.m_shortest);
    m_longest = std::max(m_longest, next.m_longest);
    takeIntervals(m_lastTime, times);
    m_lastTime = next.m_lastTime;
    appendValues(next);
}

void SampleStatistics::countOrder(TimeNs before, std::span<const TimeNs> times) {
    constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
    for (const TimeNs time : times) {
        const std::int64_t interval = (time - before).ns;
        before = time;
        m_repeated += interval == 0 ? 1 : 0;
        m_decreasing += interval < 0 ? 1 : 0;
        m_longest = std::max(m_longest, interval);
        m_shortest = std::min(m_shortest, interval > 0 ? interval : kNone);
    }
}

// m_longest must know these times already.
void SampleStatistics::takeIntervals(TimeNs before, std::span<const TimeNs> times) {
    std::size_t kept = m_intervals.size();
    m_intervals.resize(std::min(kKept, kept + times.size()));
    std::size_t i = 0;
    for (; i < times.size() && kept < m_intervals.size(); ++i) {
        const std::int64_t interval = (times[i] - before).ns;
        before = times[i];
        m_intervals[kept] = interval;
        kept += interval > 0 ? 1 : 0;
    }
    m_intervals.resize(kept);
    if (i == times.size())
        return;
    if (m_gapLimit == 0)
        m_gapLimit = gapLimit(m_intervals);
    if (m_longest <= m_gapLimit)
        return;
    for (; i < times.size(); ++i) {
        m_laterGaps += (times[i] - before).ns > m_gapLimit ? 1 : 0;
        before = times[i];
    }
}

// None of them missing.
void SampleStatistics::takeValues(std::span<const TimeNs> times, std::span<const double> values) {
    if (values.empty())
        return;
    m_first = {times.front(), values.front()};
    m_last = {times.back(), values.back()};
    m_max = values.front();
    for (std::size_t i = 1; i < values.size(); ++i) {
        m_max = std::max(m_max, values[i]);
        m_falls += values[i] < values[i - 1] ? 1 : 0;
    }
    if (m_falls > 0 && m_max > 0.75 * kRange32) {
        m_falls = 0;
        for (std::size_t i = 1; i < values.size(); ++i)
            step(values[i - 1], values[i]);
    }
    takeChanges(times, values);
}

void SampleStatistics::step(double from, double to) {
    if (to >= from)
        return;
    ++m_falls;
    m_hasWrapOf32Bits |= from > 0.75 * kRange32 && from < kRange32 && to < 0.25 * kRange32;
}

void SampleStatistics::takeChanges(std::span<const TimeNs> times, std::span<const double> values) {
    std::size_t i = 1;
    while (i < values.size() && values[i] == values[i - 1])
        ++i;
    if (i >= values.size())
        return;
    m_firstChange = times[i];
    TimeNs last = times[i];
    m_changes.resize(values.size());
    std::size_t kept = 0;
    // A branch on a changed value would be mispredicted half of the time.
    for (++i; i < values.size(); ++i) {
        const bool isChange = values[i] != values[i - 1];
        const std::int64_t interval = (times[i] - last).ns;
        m_changes[kept] = interval;
        kept += static_cast<std::size_t>(isChange && interval > 0);
        last = isChange ? times[i] : last;
    }
    m_changes.resize(std::min(kept, kKept));
    m_lastChange = last;
}

void SampleStatistics::addChange(TimeNs time) {
    const std::int64_t interval = m_lastChange ? (time - *m_lastChange).ns : 0;
    if (interval > 0 && m_changes.size() < kKept)
        m_changes.push_back(interval);
    if (!m_firstChange)
        m_firstChange = time;
    m_lastChange = time;
}

void SampleStatistics::appendValues(SampleStatistics& next) {
    if (!next.m_first)
        return;
    m_max = m_first ? std::max(m_max, next.m_max) : next.m_max;
    m_falls += next.m_falls;
    m_hasWrapOf32Bits |= next.m_hasWrapOf32Bits;
    if (m_last) {
        step(m_last->value, next.m_first->value);
        if (next.m_first->value != m_last->value)
            addChange(next.m_first->time);
    }
    if (next.m_firstChange)
        addChange(*next.m_firstChange);
    const std::size_t more = std::min(next.m_changes.size(), kKept - m_changes.size());
    m_changes.insert(m_changes.end(), next.m_changes.begin(),
        next.m_changes.begin() + static_cast<std::ptrdiff_t>(more));
    if (next.m_lastChange)
        m_lastChange = next.m_lastChange;
    if (!m_first)
        m_first = next.m_first;
    m_last = next.m_last;
}

std::int64_t SampleStatistics::gaps() const {
    // The period is no less than the shortest.
    if (m_intervals.empty() || m_longest / kPeriodsOfGap < m_shortest)
        return 0;
    const std::int64_t limit = gapLimit(m_intervals);
    return m_laterGaps
        + std::count_if(m_intervals.begin(), m_intervals.end(),
            [limit](std::int64_t interval) { return interval > limit; });
}

std::optional<DurationNs> SampleStatistics::samplePeriod() const {
    return m_intervals.empty() ? std::nullopt : std::optional(DurationNs{periodOf(m_intervals)});
}

std::string SampleStatistics::groupsText() const {
    constexpr double kSecondsOfNs = 1e-9;
    const auto groups = groupsOf(m_intervals);
    if (!groups)
        return {};
    return "Readings of one GPU or node come in groups, "
        + text::seconds(groups->within * kSecondsOfNs) + " apart, then "
        + text::seconds(groups->between * kSecondsOfNs)
        + " pass: two recorders write to this file, or one reads several times at once. All "
          "readings are kept; the period of the recording is taken to be that of the groups.";
}

std::optional<DurationNs> SampleStatistics::changePeriod(std::size_t fewest) const {
    const auto period = medianOf(m_changes);
    return period && m_changes.size() >= fewest ? std::optional(DurationNs{*period}) : std::nullopt;
}

} // namespace trainscope::importers
