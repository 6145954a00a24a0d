#include "core/store/samples/CounterRate.h"

#include <cmath>
#include <limits>

namespace trainscope::store {
namespace {

constexpr std::size_t kMaxWaiting
    = 4096; // bounds the memory that a long run of missing samples takes

} // namespace

double CounterRate::increment(double from, double to, double seconds) const {
    if (to >= from)
        return to - from;
    if (m_bits <= 0)
        return to;
    const double wrapped = to - from + std::ldexp(1.0, m_bits);
    const bool reset = !(seconds > 0.0) || wrapped * m_scale / seconds > kPeakRate;
    return reset ? to : wrapped;
}

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
        const double seconds = static_cast<double>(time - m_base->time) * 1e-9;
        const double added = increment(m_base->value, value, seconds);
        if (seconds > 0.0) {
            settle((m_carry + added) * m_scale / seconds, out);
            m_carry = 0.0;
        } else {
            m_carry += added;
        }
    }
    m_waiting.push_back({time, 0.0});
    m_base = Base{time, value};
}

} // namespace trainscope::store
