#include "core/analysis/statistics/TimeWeighted.h"

#include "core/analysis/statistics/Elapsed.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trainscope::analysis {

void TimeWeighted::enter(TimeNs begin, double held) {
    m_hasEntered = true;
    m_lastTime = begin;
    m_lastValue = held;
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
    if (m_samples == 0)
        m_firstTime = times[0];
    // Local, so that they stay in registers.
    Held held = m_held;
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
        held.add(value, ns);
        m_heldValues.add(value, ns);
    }
    m_held = held;
    m_extremes = extremes;
    m_present += static_cast<std::int64_t>(count) - missing;
    m_samples += static_cast<std::int64_t>(count);
    m_lastTime = times[count - 1];
    m_lastValue = values[count - 1];
    addInstants(values.first(count));
}

void TimeWeighted::add(TimeWeighted&& next) {
    if (next.m_samples == 0)
        return;
    if (isOpen())
        holdUntil(next.m_firstTime);
    if (m_samples == 0)
        m_firstTime = next.m_firstTime;
    m_held.sum.add(next.m_held.sum);
    m_held.ns += next.m_held.ns;
    m_heldValues.add(std::move(next.m_heldValues));
    m_extremes = {std::min(m_extremes.min, next.m_extremes.min),
        std::max(m_extremes.max, next.m_extremes.max)};
    m_present += next.m_present;
    m_samples += next.m_samples;
    m_lastTime = next.m_lastTime;
    m_lastValue = next.m_lastValue;
    if (m_held.ns == 0) {
        m_instant.sum.add(next.m_instant.sum);
        m_instant.distribution.add(std::move(next.m_instant.distribution));
    }
}

void TimeWeighted::holdUntil(TimeNs time) {
    const std::int64_t ns = elapsedNs(m_lastTime, time);
    if (ns == 0 || std::isnan(m_lastValue))
        return;
    m_held.add(m_lastValue, ns);
    m_heldValues.add(m_lastValue, ns);
}

void TimeWeighted::addInstants(std::span<const double> values) {
    if (m_held.ns != 0)
        return;
    for (const double value : values) {
        if (std::isnan(value))
            continue;
        m_instant.sum.add(value);
        m_instant.distribution.add(value, 1);
    }
}

std::optional<double> TimeWeighted::mean() const {
    if (m_held.ns == 0 && m_present == 0)
        return std::nullopt;
    if (m_held.ns == 0)
        return m_instant.sum.value() / static_cast<double>(m_present);
    return m_held.sum.value() / static_cast<double>(m_held.ns);
}

std::optional<double> TimeWeighted::min() const {
    return m_present == 0 ? std::nullopt : std::optional(m_extremes.min);
}

std::optional<double> TimeWeighted::max() const {
    return m_present == 0 ? std::nullopt : std::optional(m_extremes.max);
}

Distribution TimeWeighted::takeDistribution() && {
    return std::move(m_held.ns == 0 ? m_instant.distribution : m_heldValues);
}

} // namespace trainscope::analysis
