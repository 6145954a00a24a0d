#include "importers/nvsmi/Cadence.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace trainscope::importers::nvsmi {

namespace {

constexpr std::size_t kMostSteps = 4096;
constexpr std::size_t kFewestChanges = 8;
constexpr std::int64_t kGapPeriods = 10;
constexpr std::int64_t kLongestPeriod = std::int64_t{1} << 59; // 18 years; ten of them still fit

std::int64_t median(std::vector<std::int64_t> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return std::min(*middle, kLongestPeriod);
}

} // namespace

void Cadence::add(TimeNs time, double value) {
    if (!m_started) {
        m_started = true;
        m_last = time;
        m_value = value;
        return;
    }
    const std::int64_t step = (time - m_last).ns;
    m_last = time;
    // Where the clock was set back nothing can be said about periods.
    if (step < 0) {
        m_changed = false;
        return;
    }
    if (m_steps.size() < kMostSteps) {
        m_steps.push_back(step);
        if (m_steps.size() == kMostSteps)
            m_limit = kGapPeriods * median(m_steps);
    } else if (m_limit > 0 && step > m_limit) {
        ++m_laterGaps;
    }
    if (std::isnan(value) || value == m_value)
        return;
    m_value = value;
    // Where the first value began is not known: counting starts at the first change.
    if (m_changed && m_changes.size() < kMostSteps)
        m_changes.push_back((time - m_lastChange).ns);
    m_changed = true;
    m_lastChange = time;
}

std::optional<DurationNs> Cadence::samplingPeriod() const {
    if (m_steps.empty())
        return std::nullopt;
    return DurationNs{median(m_steps)};
}

std::optional<DurationNs> Cadence::updatePeriod() const {
    if (m_changes.size() < kFewestChanges)
        return std::nullopt;
    return DurationNs{median(m_changes)};
}

std::int64_t Cadence::gaps() const {
    if (m_steps.empty())
        return 0;
    const std::int64_t limit = kGapPeriods * median(m_steps);
    return m_laterGaps + std::count_if(m_steps.begin(), m_steps.end(), [limit](std::int64_t step) {
        return limit > 0 && step > limit;
    });
}

} // namespace trainscope::importers::nvsmi
