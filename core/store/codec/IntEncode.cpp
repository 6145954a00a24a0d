#include "core/model/Vectorized.h"
#include "core/store/codec/BitPack.h"
#include "core/store/codec/IntColumn.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <optional>
#include <vector>

namespace trainscope::store {
namespace {

// IntPlan: the best prediction for an integer column, which the encoder chooses before it packs
// bits.

// Base, divisor, prediction as in IntColumn.h, and the residuals that are left.
struct IntPlan {
    Prediction prediction = Prediction::Plain;
    std::uint64_t divisor = 1;
    std::uint64_t base = 0;
    std::uint64_t step = 0; // d(-1)
    std::uint64_t slope = 0;
    std::vector<std::int64_t> residuals;
};

struct IntBounds {
    std::int64_t low = 0;
    std::int64_t high = 0;
    [[nodiscard]] std::uint64_t range() const { return distance(low, high); }
};
IntBounds boundsOf(std::span<const std::int64_t> values); // not empty

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

TRAINSCOPE_VECTORIZED
IntBounds boundsOf(std::span<const std::int64_t> values) {
    IntBounds bounds{values[0], values[0]};
    for (const std::int64_t value : values) {
        bounds.low = value < bounds.low ? value : bounds.low;
        bounds.high = value > bounds.high ? value : bounds.high;
    }
    return bounds;
}

// Plans are reused: their memory is. values not empty.
void planInts(std::span<const std::int64_t> values, IntPlan& plan,
    std::optional<Prediction> wanted = std::nullopt) {
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
    plan.prediction = wanted.value_or(judge(plan.residuals, plan.slope).best(plan.slope > 0));
    predict(plan);
}

constexpr std::size_t kWorthSqueezing = 64; // bytes
constexpr std::size_t kMostPatches = kBlock / 8;
constexpr std::size_t kPatchBytes = 2; // what a patched block says before its patches

unsigned widthOf(std::uint64_t value) {
    return static_cast<unsigned>(std::bit_width(value));
}

TRAINSCOPE_VECTORIZED
void above(const std::int64_t* values, std::size_t count, std::int64_t low, std::uint64_t* out) {
    for (std::size_t i = 0; i < count; ++i)
        out[i] = word(values[i]) - word(low);
}

TRAINSCOPE_VECTORIZED
std::size_t countNear(const std::uint64_t* values, std::uint64_t low, std::uint64_t width) {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < kBlock; ++i)
        count += values[i] - low <= width ? 1U : 0U;
    return static_cast<std::size_t>(count);
}

// The range in which all but a few values of a block lie: [low, low + 2^width).
struct Core {
    std::uint64_t low = 0;
    unsigned width = 64;
    std::size_t patches = 0;
};

std::size_t bitsOf(const Core& core, unsigned widest) {
    const std::size_t patches = core.patches * (8 + widest + 1 - core.width);
    return kBlock * core.width + patches + (core.patches > 0 ? kPatchBytes * 8 : 0);
}

// The cheapest core; `sorted` is a copy that is put in order at both ends.
Core cheapestCore(std::array<std::uint64_t, kBlock>& sorted, unsigned widest) {
    auto* const low = sorted.begin() + kMostPatches;
    auto* const high = sorted.end() - kMostPatches - 1;
    std::nth_element(sorted.begin(), low, sorted.end());
    std::nth_element(low + 1, high, sorted.end());
    std::sort(sorted.begin(), low);
    std::sort(high, sorted.end());
    const auto narrowest = [&sorted](std::size_t patches) {
        Core core{0, 64, patches};
        std::uint64_t least = ~std::uint64_t{0};
        for (std::size_t below = 0; below <= patches; ++below) {
            const std::uint64_t range = sorted[kBlock - 1 - patches + below] - sorted[below];
            core.low = range < least ? sorted[below] : core.low;
            least = std::min(least, range);
        }
        core.width = widthOf(least);
        return core;
    };
    const unsigned least = narrowest(kMostPatches).width;
    Core best{0, widest, 0};
    std::size_t cost = kBlock * widest;
    for (std::size_t patches = 1; patches <= kMostPatches; ++patches) {
        if (bitsOf({0, least, 0}, widest) + patches * 8 >= cost)
            break; // more patches cannot pay any more
        const Core core = narrowest(patches);
        if (bitsOf(core, widest) < cost) {
            best = core;
            cost = bitsOf(core, widest);
        }
    }
    return best;
}

class Encoder {
public:
    explicit Encoder(Bytes& out)
        : m_out(out)
        , m_writer(out) { }

    void head(const IntPlan& plan, std::uint8_t flags) {
        const bool divided = plan.divisor != 1;
        m_writer.u8(static_cast<std::uint8_t>(
            static_cast<std::uint8_t>(plan.prediction) | (divided ? kDivisorBit : 0U) | flags));
        if (divided)
            m_writer.varint(plan.divisor);
        m_writer.signedVarint(static_cast<std::int64_t>(plan.base));
        if (plan.prediction == Prediction::Second)
            m_writer.signedVarint(static_cast<std::int64_t>(plan.step));
        if (plan.prediction == Prediction::Line)
            m_writer.varint(plan.slope);
    }

    void blocks(std::span<const std::int64_t> residuals) {
        std::size_t at = 0;
        for (; at + kBlock <= residuals.size(); at += kBlock)
            block(residuals.data() + at);
        if (at < residuals.size())
            tail(residuals.subspan(at));
    }

private:
    void reference(std::uint64_t value) {
        m_writer.signedVarint(static_cast<std::int64_t>(value - m_reference));
        m_reference = value;
    }

    std::uint8_t* grow(std::size_t bytes) {
        m_out.resize(m_out.size() + bytes);
        return m_out.data() + (m_out.size() - bytes);
    }

    void block(const std::int64_t* values) {
        const IntBounds bounds = boundsOf({values, kBlock});
        const std::uint64_t top = bounds.range();
        const unsigned widest = widthOf(top);
        above(values, kBlock, bounds.low, m_above.data());
        const Core core = coreOf(top, widest);
        if (core.patches > 0)
            return patched(core, word(bounds.low));
        m_writer.u8(static_cast<std::uint8_t>(widest));
        reference(word(bounds.low));
        packBlock(m_above.data(), widest, grow(blockBytes(widest)));
    }

    // True when a quarter of the range holds nearly all values.
    [[nodiscard]] bool mostAreNear(std::uint64_t top) const {
        if (top == 0)
            return false;
        const std::uint64_t a = m_above[kBlock / 8];
        const std::uint64_t b = m_above[kBlock / 2];
        const std::uint64_t c = m_above[kBlock - kBlock / 8];
        const std::uint64_t middle = std::max(std::min(a, b), std::min(std::max(a, b), c));
        return countNear(m_above.data(), middle - std::min(middle, top / 8), top / 4)
            >= kBlock - kMostPatches;
    }

    // Without patches where the whole range is best.
    [[nodiscard]] Core coreOf(std::uint64_t top, unsigned widest) const {
        const Core whole{0, widest, 0};
        if (widest < 2)
            return whole;
        // A range little wider than half its bits hold is cut at both ends.
        const std::uint64_t half = std::uint64_t{1} << (widest - 1);
        const std::uint64_t excess = top - (half - 1);
        if (excess < half / 8) {
            const std::size_t inside = countNear(m_above.data(), excess / 2, half - 1);
            const Core core{excess / 2, widest - 1, kBlock - inside};
            if (core.patches <= kMostPatches && bitsOf(core, widest) < bitsOf(whole, widest))
                return core;
        }
        if (!mostAreNear(top))
            return whole;
        std::array<std::uint64_t, kBlock> sorted = m_above;
        return cheapestCore(sorted, widest);
    }

    void patched(const Core& core, std::uint64_t low) {
        std::array<std::uint64_t, kMostPatches> patches{};
        std::array<std::uint8_t, kMostPatches> positions{};
        std::size_t count = 0;
        std::uint64_t widest = 0;
        const std::uint64_t mask = (std::uint64_t{1} << core.width) - 1;
        for (std::size_t i = 0; i < kBlock; ++i) {
            const std::uint64_t x = m_above[i] - core.low;
            m_above[i] = x & mask;
            if (x <= mask)
                continue;
            patches[count] = zigzag(static_cast<std::int64_t>(x) >> core.width);
            widest |= patches[count];
            positions[count++] = static_cast<std::uint8_t>(i);
        }
        const unsigned patchWidth = widthOf(widest);
        m_writer.u8(static_cast<std::uint8_t>(core.width | kPatchedBit));
        reference(low + core.low);
        m_writer.u8(static_cast<std::uint8_t>(count));
        m_writer.u8(static_cast<std::uint8_t>(patchWidth));
        m_writer.raw({positions.data(), count});
        packTail({patches.data(), count}, patchWidth, grow(tailBytes(count, patchWidth)));
        packBlock(m_above.data(), core.width, grow(blockBytes(core.width)));
    }

    void tail(std::span<const std::int64_t> values) {
        const IntBounds bounds = boundsOf(values);
        const unsigned width = widthOf(bounds.range());
        above(values.data(), values.size(), bounds.low, m_above.data());
        m_writer.u8(static_cast<std::uint8_t>(width));
        reference(word(bounds.low));
        packTail({m_above.data(), values.size()}, width, grow(tailBytes(values.size(), width)));
    }

    Bytes& m_out;
    ByteWriter m_writer;
    std::uint64_t m_reference = 0;
    std::array<std::uint64_t, kBlock> m_above{};
};

// The whole column as byte planes; empty when zstd does not help much.
void squeeze(const IntPlan& plan, Bytes& out, std::size_t packedSize) {
    const auto& residuals = plan.residuals;
    const IntBounds bounds = boundsOf(residuals);
    const unsigned width = widthOf(bounds.range());
    if (width == 0)
        return;
    const std::size_t planes = (width + 7) / 8;
    thread_local Bytes plain;
    plain.resize(planes * residuals.size());
    for (std::size_t plane = 0; plane < planes; ++plane) {
        std::uint8_t* bytes = plain.data() + plane * residuals.size();
        for (std::size_t i = 0; i < residuals.size(); ++i)
            bytes[i]
                = static_cast<std::uint8_t>((word(residuals[i]) - word(bounds.low)) >> (8 * plane));
    }
    thread_local Bytes compressed;
    compressed.clear();
    zstdCompress(plain, compressed);
    if (compressed.empty() || compressed.size() * 8 > packedSize * 7)
        return;
    Encoder(out).head(plan, kPlanesBit);
    ByteWriter writer(out);
    writer.signedVarint(bounds.low);
    writer.u8(static_cast<std::uint8_t>(width));
    writer.block(compressed);
}

} // namespace

void encodeInts(std::span<const std::int64_t> values, Bytes& out, Squeeze wanted) {
    if (values.empty())
        return;
    thread_local IntPlan plan;
    planInts(values, plan);
    const std::size_t before = out.size();
    Encoder encoder(out);
    encoder.head(plan, 0);
    encoder.blocks(plan.residuals);
    const std::size_t packed = out.size() - before;
    if (wanted == Squeeze::No || packed < kWorthSqueezing)
        return;
    if (wanted == Squeeze::Repeating && plan.prediction != Prediction::First)
        planInts(values, plan, Prediction::First);
    Bytes squeezed;
    squeeze(plan, squeezed, packed);
    if (squeezed.empty())
        return;
    out.resize(before);
    ByteWriter(out).raw(squeezed);
}

} // namespace trainscope::store
