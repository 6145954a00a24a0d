#include "core/analysis/statistics/Accumulators.h"

#include "core/analysis/statistics/TimeRanges.h"

namespace trainscope::analysis {

void TimeWeighted::enter(TimeNs begin, double held) {
    m_hasEntered = true;
    m_lastTime = begin;
    m_lastValue = held;
    takeEnds({&held, 1});
}

void TimeWeighted::takeEnds(std::span<const double> values) {
    const auto isPresent = [](double value) { return !std::isnan(value); };
    const auto last = std::find_if(values.rbegin(), values.rend(), isPresent);
    if (last == values.rend())
        return;
    m_last = *last;
    if (!m_first)
        m_first = *std::find_if(values.begin(), values.end(), isPresent);
}

void TimeWeighted::leave(TimeNs end) {
    if (!isOpen())
        return;
    holdUntil(end);
    m_lastTime = end;
}

void TimeWeighted::add(std::span<const TimeNs> times, std::span<const double> values) {
    const std::size_t count = std::min(times.size(), values.size());
    if (count == 0)
        return;
    if (isOpen())
        holdUntil(times[0]);
    // Local, so that they stay in registers.
    TimeSum held = m_held;
    Extremes extremes = m_extremes;
    std::int64_t missing = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double value = values[i];
        if (std::isnan(value)) {
            ++missing;
            continue;
        }
        extremes.include(value);
        const std::int64_t ns = i + 1 < count ? elapsedNs(times[i], times[i + 1]) : 0;
        if (ns == 0)
            continue;
        held.add(value, {ns});
        m_heldValues.add(value, ns);
    }
    m_held = held;
    m_extremes = extremes;
    m_present += static_cast<std::int64_t>(count) - missing;
    m_samples += static_cast<std::int64_t>(count);
    m_lastTime = times[count - 1];
    m_lastValue = values[count - 1];
    addInstants(values.first(count));
    takeEnds(values.first(count));
}

void TimeWeighted::holdUntil(TimeNs time) {
    const std::int64_t ns = elapsedNs(m_lastTime, time);
    if (ns == 0 || std::isnan(m_lastValue))
        return;
    m_held.add(m_lastValue, {ns});
    m_heldValues.add(m_lastValue, ns);
    m_extremes.include(m_lastValue);
}

void TimeWeighted::addInstants(std::span<const double> values) {
    if (m_held.length().ns != 0)
        return;
    for (const double value : values) {
        if (std::isnan(value))
            continue;
        m_instant.sum.add(value);
        m_instant.distribution.add(value, 1);
    }
}

std::optional<double> TimeWeighted::mean() const {
    if (m_extremes.isEmpty())
        return std::nullopt;
    return m_held.mean().value_or(m_instant.sum.value() / static_cast<double>(m_present));
}

std::optional<double> TimeWeighted::min() const {
    return m_extremes.isEmpty() ? std::nullopt : std::optional(m_extremes.min);
}

std::optional<double> TimeWeighted::max() const {
    return m_extremes.isEmpty() ? std::nullopt : std::optional(m_extremes.max);
}

Distribution TimeWeighted::takeDistribution() && {
    return std::move(m_held.length().ns == 0 ? m_instant.distribution : m_heldValues);
}

CounterTotal::CounterTotal(const SeriesDescription& description)
    : m_rule(description) { }

void CounterTotal::add(std::span<const TimeNs> times, std::span<const double> values) {
    const std::size_t count = std::min(times.size(), values.size());
    for (std::size_t i = 0; i < count; ++i) {
        ++m_samples;
        if (std::isnan(values[i]))
            continue;
        if (m_present > 0)
            m_total.add(increment(elapsedNs(m_lastTime, times[i]), m_lastValue, values[i]));
        ++m_present;
        m_lastTime = times[i];
        m_lastValue = values[i];
    }
}

double CounterTotal::increment(std::int64_t ns, double from, double to) {
    const CounterStep step = m_rule.step(ns, from, to);
    m_wraps += step.isWrap ? 1 : 0;
    m_resets += step.isReset ? 1 : 0;
    return step.counted;
}

std::optional<double> CounterTotal::total() const {
    return m_present == 0 ? std::nullopt : std::optional(m_total.value());
}

EnergyIntegral::EnergyIntegral(double gapLimitNs)
    : m_gapLimitNs(gapLimitNs) { }

void EnergyIntegral::add(std::span<const TimeNs> times, std::span<const double> watts) {
    const std::size_t count = std::min(times.size(), watts.size());
    for (std::size_t i = 0; i < count; ++i) {
        if (std::isnan(watts[i]))
            continue;
        if (m_present > 0)
            bridge(elapsedNs(m_lastTime, times[i]), m_lastWatts, watts[i]);
        ++m_present;
        m_lastTime = times[i];
        m_lastWatts = watts[i];
    }
}

void EnergyIntegral::bridge(std::int64_t ns, double from, double to) {
    if (ns == 0)
        return;
    m_periods.add(static_cast<double>(ns), 1);
    m_longestNs = std::max(m_longestNs, ns);
    if (static_cast<double>(ns) > m_gapLimitNs)
        return;
    m_line.add(0.5 * (from + to), {ns});
}

double EnergyIntegral::gapLimit() const {
    const auto median = m_periods.median();
    if (!median)
        return std::numeric_limits<double>::infinity();
    const auto groups = samplingGroups(m_periods.totalWeight(),
        [this](double share) { return m_periods.quantile(share).value_or(0.0); });
    return kGapPeriods * (groups ? groups->between : *median);
}

} // namespace trainscope::analysis
