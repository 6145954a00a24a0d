#pragma once
// A running counter as the rate of its increments, which are those of CounterRule.h.

#include "core/model/CounterRule.h"

namespace trainscope::store {

struct RateSample {
    std::int64_t time;
    double rate; // SI/s on [time, time of the next sample); NaN for missing
};

class CounterRate {
public:
    explicit CounterRate(const CounterRule& rule)
        : m_rule(rule) { }
    // Values are SI. Appends the samples that are settled now, one for each that was pushed, in
    // order. The last sample of a series has no rate and never comes out.
    void push(std::int64_t time, double value, std::vector<RateSample>& out);

private:
    struct Base {
        std::int64_t time;
        double value;
    };
    void settle(double rate, std::vector<RateSample>& out);

    CounterRule m_rule;
    std::optional<Base> m_base; // the last non-missing sample
    double m_carry = 0.0; // increments between equal time stamps
    std::vector<RateSample> m_waiting; // rate NaN: missing, else to be filled
};

} // namespace trainscope::store
