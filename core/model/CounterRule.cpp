#include "core/model/CounterRule.h"

#include <cmath>

namespace trainscope {

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

CounterRule::CounterRule(int counterBits, double scale, const std::optional<double>& peakRate)
    : m_range(counterBits > 0 ? std::ldexp(std::abs(scale), counterBits) : 0.0)
    , m_peak(peakRate) { }

CounterRule::CounterRule(const SeriesDescription& description)
    : CounterRule(description.counterBits, description.scale, peakRate(description.metric)) { }

CounterStep CounterRule::step(std::int64_t ns, double from, double to) const {
    if (to >= from)
        return {to - from};
    const double wrapped = (m_range - from) + to;
    return isWrap(ns, wrapped) ? CounterStep{wrapped, true, false} : CounterStep{to, false, true};
}

bool CounterRule::isWrap(std::int64_t ns, double wrapped) const {
    if (m_range == 0.0 || wrapped < 0.0)
        return false;
    if (!m_peak)
        return wrapped < m_range / 2.0;
    return wrapped <= *m_peak * (static_cast<double>(ns) * 1e-9);
}

} // namespace trainscope
