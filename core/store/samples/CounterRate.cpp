#include "core/store/samples/CounterRate.h"

#include <cmath>

namespace trainscope::store {
namespace {

constexpr std::size_t kMaxWaiting
    = 4096; // bounds the memory that a long run of missing samples takes

} // namespace

void CounterRate::settle(double rate, std::vector<RateSample>& out) {
    for (RateSample& sample : m_waiting) {
        if (!std::isnan(sample.rate))
            sample.rate = rate;
        out.push_back(sample);
    }
    m_waiting.clear();
}

void CounterRate::push(std::int64_t time, double value, std::vector<RateSample>& out) {
    constexpr double missing = std::numeric_limits<double>::quiet_NaN();
    if (std::isnan(value)) {
        m_waiting.push_back({time, missing});
        if (m_waiting.size() > kMaxWaiting) {
            settle(missing, out);
            m_base.reset();
            m_carry = 0.0;
        }
        return;
    }
    if (!m_base) {
        settle(missing, out);
    } else {
        const std::int64_t ns = clampedDifference(time, m_base->time);
        const double added = m_rule.step(ns, m_base->value, value).counted;
        if (ns > 0) {
            settle((m_carry + added) / (static_cast<double>(ns) * 1e-9), out);
            m_carry = 0.0;
        } else {
            m_carry += added;
        }
    }
    m_waiting.push_back({time, 0.0});
    m_base = Base{time, value};
}

} // namespace trainscope::store
