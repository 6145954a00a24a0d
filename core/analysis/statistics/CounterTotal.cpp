#include "core/analysis/statistics/CounterTotal.h"

#include "core/analysis/statistics/Elapsed.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace trainscope::analysis {

std::optional<double> peakRate(const Metric& metric) {
    if (metric.unit != "B")
        return std::nullopt;
    const std::string_view name = metric.name;
    if (name.starts_with("pcie"))
        return 128e9;
    if (name.starts_with("ib_") || name.starts_with("net"))
        return 100e9;
    return 1.8e12;
}

CounterTotal::CounterTotal(const SeriesDescription& description)
    : m_range(description.counterBits > 0
            ? std::ldexp(std::abs(description.scale), description.counterBits)
            : 0.0)
    , m_peak(peakRate(description.metric)) { }

void CounterTotal::add(std::span<const TimeNs> times, std::span<const double> values) {
    const std::size_t count = std::min(times.size(), values.size());
    for (std::size_t i = 0; i < count; ++i) {
        ++m_samples;
        if (std::isnan(values[i]))
            continue;
        if (m_present > 0)
            m_total.add(increment(elapsedNs(m_lastTime, times[i]), m_lastValue, values[i]));
        else
            std::tie(m_firstTime, m_firstValue) = std::tie(times[i], values[i]);
        ++m_present;
        m_lastTime = times[i];
        m_lastValue = values[i];
    }
}

void CounterTotal::add(const CounterTotal& next) {
    m_samples += next.m_samples;
    if (next.m_present == 0)
        return;
    if (m_present > 0) {
        m_total.add(
            increment(elapsedNs(m_lastTime, next.m_firstTime), m_lastValue, next.m_firstValue));
    } else {
        std::tie(m_firstTime, m_firstValue) = std::tie(next.m_firstTime, next.m_firstValue);
    }
    m_total.add(next.m_total);
    m_present += next.m_present;
    m_wraps += next.m_wraps;
    m_resets += next.m_resets;
    m_lastTime = next.m_lastTime;
    m_lastValue = next.m_lastValue;
}

double CounterTotal::increment(std::int64_t ns, double from, double to) {
    if (to >= from)
        return to - from;
    const double wrapped = (m_range - from) + to;
    if (isWrap(ns, wrapped)) {
        ++m_wraps;
        return wrapped;
    }
    ++m_resets;
    return to;
}

bool CounterTotal::isWrap(std::int64_t ns, double wrapped) const {
    if (m_range == 0.0 || wrapped < 0.0)
        return false;
    // Without a known peak the shorter way round decides.
    if (!m_peak)
        return wrapped < m_range / 2.0;
    return wrapped <= *m_peak * (static_cast<double>(ns) * 1e-9);
}

std::optional<double> CounterTotal::total() const {
    return m_present == 0 ? std::nullopt : std::optional(m_total.value());
}

} // namespace trainscope::analysis
