#include "importers/charllm/SampleStatistics.h"

#include <algorithm>
#include <cmath>

namespace trainscope::importers::charllm {

namespace {
constexpr double kRange32 = 4294967296.0;
} // namespace

std::optional<std::int64_t> medianOf(std::vector<std::int64_t> values) {
    if (values.empty())
        return std::nullopt;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

void SampleStatistics::add(std::span<const TimeNs> times, std::span<const double> values) {
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (m_rows > 0)
            addTime(times[i]);
        ++m_rows;
        m_previousTime = times[i];
        if (std::isnan(values[i]))
            ++m_missing;
        else
            addValue(times[i], values[i]);
    }
}

void SampleStatistics::addTime(TimeNs time) {
    const std::int64_t interval = (time - m_previousTime).ns;
    if (interval <= 0) {
        ++(interval == 0 ? m_repeated : m_decreasing);
        return;
    }
    if (m_intervals.size() < kKept) {
        m_intervals.push_back(interval);
        return;
    }
    if (m_gapLimit == 0)
        m_gapLimit = kGapPeriods * medianOf(m_intervals).value_or(0);
    m_laterGaps += interval > m_gapLimit ? 1 : 0;
}

void SampleStatistics::addValue(TimeNs time, double value) {
    m_max = m_hasValue ? std::max(m_max, value) : value;
    if (m_hasValue && value < m_previousValue) {
        ++m_falls;
        m_hasWrapOf32Bits |= m_previousValue > 0.75 * kRange32 && m_previousValue < kRange32
            && value < 0.25 * kRange32;
    }
    if (m_hasValue && value != m_previousValue) {
        const std::int64_t interval = m_lastChange ? (time - *m_lastChange).ns : 0;
        if (interval > 0 && m_changes.size() < kKept)
            m_changes.push_back(interval);
        m_lastChange = time;
    }
    m_previousValue = value;
    m_hasValue = true;
}

std::int64_t SampleStatistics::gaps() const {
    const auto period = medianOf(m_intervals);
    if (!period)
        return 0;
    const std::int64_t limit = kGapPeriods * *period;
    return m_laterGaps
        + std::count_if(m_intervals.begin(), m_intervals.end(),
            [limit](std::int64_t interval) { return interval > limit; });
}

std::optional<DurationNs> SampleStatistics::samplePeriod() const {
    const auto period = medianOf(m_intervals);
    return period ? std::optional(DurationNs{*period}) : std::nullopt;
}

std::optional<DurationNs> SampleStatistics::changePeriod() const {
    const auto period = medianOf(m_changes);
    return period ? std::optional(DurationNs{*period}) : std::nullopt;
}

} // namespace trainscope::importers::charllm
