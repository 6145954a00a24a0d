#include "core/model/Vectorized.h"
#include "core/store/codec/IntColumn.h"

#include <array>
#include <bit>
#include <numeric>
#include <optional>

namespace trainscope::store {
namespace {

// Base, divisor, prediction as in IntColumn.h, and the residuals that are left. The encoder chooses
// between Plain and First.
struct IntPlan {
    Prediction prediction = Prediction::Plain;
    std::uint64_t divisor = 1;
    std::uint64_t base = 0;
    std::vector<std::int64_t> residuals;
};

struct IntBounds {
    std::int64_t low = 0;
    std::int64_t high = 0;
    [[nodiscard]] std::uint64_t range() const { return distance(low, high); }
};

using Ints = std::span<const std::int64_t>;

constexpr std::size_t kGroup = 64; // values whose spread stands for the width they would need

std::int64_t integer(std::uint64_t value) {
    return static_cast<std::int64_t>(value);
}

TRAINSCOPE_VECTORIZED
void subtract(Ints values, std::uint64_t base, std::int64_t* out) {
    for (std::size_t i = 0; i < values.size(); ++i)
        out[i] = integer(word(values[i]) - base);
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

std::uint64_t magnitude(std::int64_t value) {
    return value < 0 ? 0 - word(value) : word(value);
}

// Divides by one multiplication, a fraction of the processor's division: Granlund and Montgomery,
// "Division by invariant integers using multiplication", section 9.
struct ExactDivisor {
    explicit ExactDivisor(std::uint64_t divisor) // not 0
        : shift(std::countr_zero(divisor))
        , inverse(divisor >> shift)
        , limit(~std::uint64_t{0} / divisor) {
        for (int i = 0; i < 5; ++i)
            inverse *= 2 - (divisor >> shift) * inverse;
    }
    [[nodiscard]] bool divides(std::uint64_t value) const {
        return std::rotr(value * inverse, shift) <= limit;
    }
    [[nodiscard]] std::int64_t quotient(std::int64_t multiple) const {
        return integer(word(multiple) * inverse) >> shift;
    }

    int shift;
    std::uint64_t inverse; // the odd part's, modulo 2^64
    std::uint64_t limit;
};

// The greatest common divisor of all differences to the first value; 1 where none is worth it.
std::uint64_t commonDivisor(Ints values) {
    std::uint64_t divisor = 0;
    std::optional<ExactDivisor> exact;
    for (const std::int64_t value : values) {
        if (value == 0 || (exact && exact->divides(magnitude(value))))
            continue;
        divisor = std::gcd(divisor, magnitude(value));
        exact.emplace(divisor);
        if (divisor == 1)
            break;
    }
    return divisor == 0 || divisor > word(INT64_MAX) ? 1 : divisor;
}

void divide(std::vector<std::int64_t>& values, std::uint64_t divisor) {
    const ExactDivisor exact(divisor);
    for (std::int64_t& value : values)
        value = exact.quotient(value);
}

std::size_t bitsFor(Ints values) {
    return values.size() * static_cast<std::size_t>(std::bit_width(boundsOf(values).range()));
}

// The differences in place of u. The first, which has nothing before it, becomes like the one
// behind it, so that it widens no block.
void predictFirst(IntPlan& plan) {
    std::vector<std::int64_t>& r = plan.residuals;
    for (std::size_t i = r.size(); i-- > 1;)
        r[i] = integer(word(r[i]) - word(r[i - 1]));
    r[0] = r[1];
    plan.base -= word(r[0]) * plan.divisor;
    plan.prediction = Prediction::First;
}

// True where differences spread less than the values; each group of them is a block's width.
bool isFirstBetter(Ints u) {
    std::size_t plain = 0;
    std::size_t first = 0;
    std::array<std::int64_t, kGroup> rises{};
    for (std::size_t at = 1; at < u.size(); at += kGroup) {
        const std::size_t count = std::min(kGroup, u.size() - at);
        for (std::size_t i = 0; i < count; ++i)
            rises[i] = integer(word(u[at + i]) - word(u[at + i - 1]));
        plain += bitsFor(u.subspan(at, count));
        first += bitsFor(Ints(rises).first(count));
    }
    return first < plain;
}

// Plans are reused: their memory is. values not empty.
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
    if (isFirstBetter(plan.residuals))
        predictFirst(plan);
}

constexpr std::size_t kWorthSqueezing = 64; // bytes

unsigned widthOf(std::uint64_t value) {
    return static_cast<unsigned>(std::bit_width(value));
}

TRAINSCOPE_VECTORIZED
void above(const std::int64_t* values, std::size_t count, std::int64_t low, std::uint64_t* out) {
    for (std::size_t i = 0; i < count; ++i)
        out[i] = word(values[i]) - word(low);
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
    }

    void blocks(std::span<const std::int64_t> residuals) {
        for (std::size_t at = 0; at < residuals.size(); at += kBlock)
            block(residuals.subspan(at, std::min(kBlock, residuals.size() - at)));
    }

private:
    std::uint8_t* grow(std::size_t bytes) {
        m_out.resize(m_out.size() + bytes);
        return m_out.data() + (m_out.size() - bytes);
    }

    void block(std::span<const std::int64_t> values) {
        const IntBounds bounds = boundsOf(values);
        const unsigned width = widthOf(bounds.range());
        above(values.data(), values.size(), bounds.low, m_above.data());
        m_writer.u8(static_cast<std::uint8_t>(width));
        m_writer.signedVarint(static_cast<std::int64_t>(word(bounds.low) - m_reference));
        m_reference = word(bounds.low);
        if (values.size() == kBlock)
            packBlock(m_above.data(), width, grow(blockBytes(width)));
        else
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
    if (wanted == Squeeze::Repeating && plan.prediction == Prediction::Plain)
        predictFirst(plan);
    Bytes squeezed;
    squeeze(plan, squeezed, packed);
    if (squeezed.empty())
        return;
    out.resize(before);
    ByteWriter(out).raw(squeezed);
}

} // namespace trainscope::store
