#pragma once
// A running counter as the rate of its increments. A fall is a wrap of the counter's width, unless
// the implied rate is beyond what any link can carry; then it is a reset and counts from zero.

#include <cstdint>
#include <optional>
#include <vector>

namespace trainscope::store {

// Beyond this rate, in SI/s, a fall is a reset: 2 TB/s.
inline constexpr double kPeakRate = 2e12;

struct RateSample {
    std::int64_t time;
    double rate; // SI/s on [time, time of the next sample); NaN for missing
};

class CounterRate {
public:
    CounterRate(int counterBits, double scale)
        : m_bits(counterBits)
        , m_scale(scale) { }
    // Appends the samples that are settled now, one for each that was pushed, in order. The last
    // sample of a series has no rate and never comes out.
    void push(std::int64_t time, double value, std::vector<RateSample>& out);

private:
    struct Base {
        std::int64_t time;
        double value;
    };
    [[nodiscard]] double increment(double from, double to, double seconds) const;
    void settle(double rate, std::vector<RateSample>& out);

    int m_bits;
    double m_scale;
    std::optional<Base> m_base; // the last non-missing sample
    double m_carry = 0.0; // increments between equal time stamps
    std::vector<RateSample> m_waiting; // rate NaN: missing, else to be filled
};

} // namespace trainscope::store
