#include "core/store/codec/IntPlan.h"

#include "core/model/Vectorized.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace trainscope::store {
namespace {

using Ints = std::span<const std::int64_t>;

constexpr std::size_t kGroup = 64; // values whose spread stands for the width they would need
constexpr std::size_t kAllGroups = 16; // longer columns are judged by every fourth group
constexpr std::size_t kSlopeGroup = 128;
constexpr std::int64_t kLongestLine = std::int64_t{1} << 46U;

std::int64_t integer(std::uint64_t value) {
    return static_cast<std::int64_t>(value);
}

TRAINSCOPE_VECTORIZED
void subtract(Ints values, std::uint64_t base, std::int64_t* out) {
    for (std::size_t i = 0; i < values.size(); ++i)
        out[i] = integer(word(values[i]) - base);
}

// out[i] = values[i] - values[i - 1], for `count` values that have one before them.
TRAINSCOPE_VECTORIZED
void differences(const std::int64_t* values, std::size_t count, std::int64_t* out) {
    const std::int64_t* const before = values - 1;
    for (std::size_t i = 0; i < count; ++i)
        out[i] = integer(word(values[i]) - word(before[i]));
}

TRAINSCOPE_VECTORIZED
void offLine(const std::int64_t* values, std::size_t count, std::uint64_t at, std::uint64_t slope,
    std::int64_t* out) {
    for (std::size_t i = 0; i < count; ++i) {
        out[i] = integer(word(values[i]) - (at >> kSlopeBits));
        at += slope;
    }
}

std::size_t bitsFor(const std::int64_t* values, std::size_t count) {
    return count * static_cast<std::size_t>(std::bit_width(boundsOf({values, count}).range()));
}

// Tells by one multiplication whether a number divides another, and the quotient: Granlund and
// Montgomery, "Division by invariant integers using multiplication", section 9.
class ExactDivisor {
public:
    explicit ExactDivisor(std::uint64_t divisor)
        : m_shift(static_cast<unsigned>(std::countr_zero(divisor)))
        , m_odd(divisor >> m_shift)
        , m_inverse(m_odd) {
        for (int i = 0; i < 5; ++i)
            m_inverse *= 2 - m_odd * m_inverse;
        m_limit = ~std::uint64_t{0} / m_odd;
    }
    [[nodiscard]] bool divides(std::uint64_t magnitude) const {
        const std::uint64_t low = (std::uint64_t{1} << m_shift) - 1;
        return (magnitude & low) == 0 && magnitude * m_inverse <= m_limit;
    }
    // The argument is a multiple of the divisor.
    [[nodiscard]] std::int64_t quotient(std::int64_t multiple) const {
        return integer(word(multiple >> m_shift) * m_inverse);
    }

private:
    unsigned m_shift;
    std::uint64_t m_odd;
    std::uint64_t m_inverse; // modulo 2^64
    std::uint64_t m_limit = 0;
};

std::uint64_t magnitude(std::int64_t value) {
    return value < 0 ? 0 - word(value) : word(value);
}

// The greatest common divisor of all differences to the first value; 1 where none is worth it.
std::uint64_t commonDivisor(Ints values) {
    std::uint64_t divisor = 0;
    std::size_t i = 0;
    const std::size_t head = std::min<std::size_t>(values.size(), kGroup);
    for (; i < head && divisor != 1; ++i)
        divisor = std::gcd(divisor, magnitude(values[i]));
    if (divisor == 0)
        divisor = 1U; // constant so far: the rest may be anything
    while (divisor != 1 && i < values.size()) {
        const ExactDivisor exact(divisor);
        while (i < values.size() && exact.divides(magnitude(values[i])))
            ++i;
        if (i < values.size())
            divisor = std::gcd(divisor, magnitude(values[i]));
    }
    return divisor > word(INT64_MAX) ? 1 : divisor;
}

void divide(std::vector<std::int64_t>& values, std::uint64_t divisor) {
    const ExactDivisor exact(divisor);
    for (std::int64_t& value : values)
        value = exact.quotient(value);
}

// Growth per value, with kSlopeBits of fraction, of a column that grows steadily; holes and other
// jumps are left out. 0 where there is no such line.
std::uint64_t slopeOf(Ints u) {
    const std::size_t n = u.size();
    if (n < 3 || u[n - 1] <= 0 || u[n - 1] >= kLongestLine)
        return 0;
    const std::size_t step = std::min(kSlopeGroup, n - 1);
    std::array<std::int64_t, kMaxColumn / kSlopeGroup + 1> rises{};
    std::size_t count = 0;
    for (std::size_t i = 0; i + step < n; i += step) {
        const std::int64_t rise = integer(word(u[i + step]) - word(u[i]));
        if (rise < 0 || rise >= kLongestLine)
            return 0;
        rises[count++] = rise;
    }
    auto middle = rises.begin() + static_cast<std::ptrdiff_t>(count / 2);
    const auto end = rises.begin() + static_cast<std::ptrdiff_t>(count);
    std::nth_element(rises.begin(), middle, end);
    const std::int64_t median = *middle;
    std::int64_t sum = 0;
    std::int64_t used = 0;
    for (auto it = rises.begin(); it != end; ++it) {
        if (std::abs(*it - median) > median / 8 + 1)
            continue;
        // The mean, without a sum of all of them, which may not fit.
        sum += *it - median;
        ++used;
    }
    const double mean
        = static_cast<double>(median) + static_cast<double>(sum) / static_cast<double>(used);
    return static_cast<std::uint64_t>(mean / static_cast<double>(step) * (1U << kSlopeBits));
}

struct Costs {
    std::array<std::size_t, 4> bits{};
    [[nodiscard]] Prediction best(bool line) const {
        std::size_t found = 0;
        for (std::size_t i = 1; i < (line ? 4U : 3U); ++i)
            found = bits[i] < bits[found] ? i : found;
        return static_cast<Prediction>(found);
    }
};

Costs judge(Ints u, std::uint64_t slope) {
    Costs costs;
    const std::size_t groups = (u.size() + kGroup - 1) / kGroup;
    const std::size_t stride = groups > kAllGroups ? 4 * kGroup : kGroup;
    std::array<std::int64_t, kGroup + 1> first{};
    std::array<std::int64_t, kGroup> scratch{};
    // Two values before a group are needed.
    for (std::size_t at = 2; at < u.size(); at += stride) {
        const std::size_t count = std::min(kGroup, u.size() - at);
        costs.bits[0] += bitsFor(u.data() + at, count);
        differences(u.data() + at - 1, count + 1, first.data());
        costs.bits[1] += bitsFor(first.data() + 1, count);
        differences(first.data() + 1, count, scratch.data());
        costs.bits[2] += bitsFor(scratch.data(), count);
        if (slope == 0)
            continue;
        offLine(u.data() + at, count, at * slope, slope, scratch.data());
        costs.bits[3] += bitsFor(scratch.data(), count);
    }
    return costs;
}

// The residuals in place of u. The first ones, which have nothing before them, become like the one
// behind them, so that they widen no block.
void predict(IntPlan& plan) {
    std::vector<std::int64_t>& r = plan.residuals;
    const std::size_t n = r.size();
    switch (plan.prediction) {
    case Prediction::Plain:
        return;
    case Prediction::First:
        for (std::size_t i = n; i-- > 1;)
            r[i] = integer(word(r[i]) - word(r[i - 1]));
        r[0] = r[1];
        plan.base -= word(r[0]) * plan.divisor;
        return;
    case Prediction::Second: {
        const std::uint64_t rise = word(r[1]) - word(r[0]);
        for (std::size_t i = n; i-- > 2;)
            r[i] = integer(word(r[i]) - 2 * word(r[i - 1]) + word(r[i - 2]));
        r[0] = r[1] = r[2];
        const std::uint64_t firstRise = rise - word(r[1]);
        plan.step = firstRise - word(r[0]);
        plan.base -= firstRise * plan.divisor;
        return;
    }
    case Prediction::Line:
        offLine(r.data(), n, 0, plan.slope, r.data());
        return;
    }
}

} // namespace

TRAINSCOPE_VECTORIZED
IntBounds boundsOf(std::span<const std::int64_t> values) {
    IntBounds bounds{values[0], values[0]};
    for (const std::int64_t value : values) {
        bounds.low = value < bounds.low ? value : bounds.low;
        bounds.high = value > bounds.high ? value : bounds.high;
    }
    return bounds;
}

void planInts(std::span<const std::int64_t> values, IntPlan& plan) {
    plan.base = word(values[0]);
    plan.divisor = 1;
    plan.prediction = Prediction::Plain;
    plan.residuals.resize(values.size());
    subtract(values, plan.base, plan.residuals.data());
    if (values.size() < 3)
        return;
    plan.divisor = commonDivisor(plan.residuals);
    if (plan.divisor > 1)
        divide(plan.residuals, plan.divisor);
    plan.slope = slopeOf(plan.residuals);
    plan.prediction = judge(plan.residuals, plan.slope).best(plan.slope > 0);
    predict(plan);
}

} // namespace trainscope::store
