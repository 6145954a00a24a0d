#include "core/store/codec/IntColumn.h"

#include "core/model/Vectorized.h"

#include <array>
#include <bit>

namespace trainscope::store {
namespace {

using Words = std::span<std::uint64_t>;

TRAINSCOPE_VECTORIZED
void scale(Words values, std::uint64_t base, std::uint64_t divisor) {
    for (std::uint64_t& value : values)
        value = base + value * divisor;
}

// From off the line to the value, where the divisor is 1.
TRAINSCOPE_VECTORIZED
void addLine(Words values, std::uint64_t base, std::uint64_t at, std::uint64_t slope) {
    for (std::uint64_t& value : values) {
        value += base + (at >> kSlopeBits);
        at += slope;
    }
}

TRAINSCOPE_VECTORIZED
void scaleLine(Words values, std::uint64_t base, std::uint64_t divisor, std::uint64_t at,
    std::uint64_t slope) {
    for (std::uint64_t& value : values) {
        value = base + (value + (at >> kSlopeBits)) * divisor;
        at += slope;
    }
}

// Running sums of step·r; four at a time, so that only one addition in four waits for the last.
std::uint64_t integrate(Words values, std::uint64_t sum, std::uint64_t step) {
    std::size_t i = 0;
    for (; i + 4 <= values.size(); i += 4) {
        const std::uint64_t a = values[i] * step;
        const std::uint64_t b = a + values[i + 1] * step;
        const std::uint64_t c = b + values[i + 2] * step;
        const std::uint64_t d = c + values[i + 3] * step;
        values[i] = sum + a;
        values[i + 1] = sum + b;
        values[i + 2] = sum + c;
        sum += d;
        values[i + 3] = sum;
    }
    for (; i < values.size(); ++i)
        values[i] = sum += values[i] * step;
    return sum;
}

// Decodes one column, block by block.
class Decoder {
public:
    Decoder(ByteReader& in, Words values)
        : m_in(in)
        , m_values(values) { }

    bool run() {
        if (!readHead())
            return false;
        if (m_planes)
            return readPlanes() && restoreAll();
        for (std::size_t at = 0; at < m_values.size(); at += kBlock) {
            const Words block = m_values.subspan(at, std::min(kBlock, m_values.size() - at));
            if (!readBlock(block))
                return false;
            restore(block, at);
        }
        return true;
    }

private:
    bool readHead() {
        const std::uint8_t head = m_in.u8();
        m_prediction = static_cast<Prediction>(head & kPredictionBits);
        m_planes = (head & kPlanesBit) != 0;
        m_divisor = (head & kDivisorBit) != 0 ? m_in.varint() : 1;
        m_base = word(m_in.signedVarint());
        if (m_prediction == Prediction::Second)
            m_step = word(m_in.signedVarint());
        if (m_prediction == Prediction::Line)
            m_slope = m_in.varint();
        m_sum = m_base;
        // A plain column adds the base together with the reference.
        m_direct = m_prediction == Prediction::Plain && m_divisor == 1;
        return m_in.ok() && head <= (kPredictionBits | kPlanesBit | kDivisorBit);
    }

    bool readBlock(Words block) {
        const std::uint8_t head = m_in.u8();
        const unsigned width = head & 0x7FU;
        m_reference += word(m_in.signedVarint());
        const bool patched = (head & kPatchedBit) != 0;
        if (!m_in.ok() || width > 64 || (patched && block.size() != kBlock))
            return false;
        const std::uint64_t base = m_direct ? m_reference + m_base : m_reference;
        if (patched)
            return readPatched(block, width, base);
        if (block.size() == kBlock) {
            const ByteView packed = m_in.raw(blockBytes(width));
            if (m_in.ok())
                unpackBlock(packed.data(), width, base, block.data());
        } else {
            const ByteView packed = m_in.raw(tailBytes(block.size(), width));
            if (m_in.ok())
                unpackTail(packed, width, base, block);
        }
        return m_in.ok();
    }

    bool readPatched(Words block, unsigned width, std::uint64_t base) {
        const std::size_t count = m_in.u8();
        const unsigned patchWidth = m_in.u8();
        const ByteView positions = m_in.raw(count);
        if (!m_in.ok() || patchWidth > 64 || width > 63)
            return false;
        const ByteView packedPatches = m_in.raw(tailBytes(count, patchWidth));
        const ByteView packed = m_in.raw(blockBytes(width));
        if (!m_in.ok())
            return false;
        std::array<std::uint64_t, kBlock> patches;
        unpackTail(packedPatches, patchWidth, 0, Words(patches).first(count));
        unpackBlock(packed.data(), width, base, block.data());
        for (std::size_t i = 0; i < count; ++i)
            block[positions[i]] += word(unzigzag(patches[i])) << width;
        return true;
    }

    void restore(Words block, std::size_t at) {
        switch (m_prediction) {
        case Prediction::Plain:
            if (!m_direct)
                scale(block, m_base, m_divisor);
            return;
        case Prediction::First:
            m_sum = integrate(block, m_sum, m_divisor);
            return;
        case Prediction::Second:
            m_step = integrate(block, m_step, 1);
            m_sum = integrate(block, m_sum, m_divisor);
            return;
        case Prediction::Line:
            if (m_divisor == 1)
                addLine(block, m_base, at * m_slope, m_slope);
            else
                scaleLine(block, m_base, m_divisor, at * m_slope, m_slope);
            return;
        }
    }

    bool readPlanes() {
        m_reference = word(m_in.signedVarint());
        const unsigned width = m_in.u8();
        const ByteView compressed = m_in.block();
        if (!m_in.ok() || width == 0 || width > 64)
            return false;
        const std::size_t planes = (width + 7) / 8;
        const std::size_t n = m_values.size();
        thread_local Bytes plain;
        plain.resize(planes * n);
        if (!zstdDecompress(compressed, plain))
            return false;
        const std::uint64_t base = m_direct ? m_reference + m_base : m_reference;
        std::fill(m_values.begin(), m_values.end(), 0);
        for (std::size_t plane = 0; plane < planes; ++plane) {
            const std::uint8_t* bytes = plain.data() + plane * n;
            for (std::size_t i = 0; i < n; ++i)
                m_values[i] |= std::uint64_t{bytes[i]} << (8 * plane);
        }
        for (std::uint64_t& value : m_values)
            value += base;
        return true;
    }

    bool restoreAll() {
        restore(m_values, 0);
        return true;
    }

    ByteReader& m_in;
    Words m_values;
    Prediction m_prediction = Prediction::Plain;
    bool m_planes = false;
    bool m_direct = false;
    std::uint64_t m_divisor = 1;
    std::uint64_t m_base = 0;
    std::uint64_t m_slope = 0;
    std::uint64_t m_step = 0; // d of Second
    std::uint64_t m_sum = 0;
    std::uint64_t m_reference = 0;
};

static_assert(std::endian::native == std::endian::little);

constexpr unsigned kLanes = 8;
constexpr unsigned kRows = kBlock / kLanes;
constexpr unsigned kWord = 32;

std::uint64_t lowBits(unsigned width) {
    return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

// width 1..32.
TRAINSCOPE_VECTORIZED
void packNarrow(const std::uint64_t* values, unsigned from, unsigned width, std::uint8_t* out) {
    alignas(64) std::array<std::uint32_t, kBlock + kLanes> words{};
    const auto mask = static_cast<std::uint32_t>(lowBits(width));
    for (unsigned row = 0; row < kRows; ++row) {
        const unsigned bit = row * width;
        const unsigned shift = bit % kWord;
        std::uint32_t* word = words.data() + std::size_t{bit / kWord} * kLanes;
        std::array<std::uint32_t, kLanes> lanes{};
        for (unsigned lane = 0; lane < kLanes; ++lane)
            lanes[lane]
                = static_cast<std::uint32_t>(values[std::size_t{row} * kLanes + lane] >> from)
                & mask;
        for (unsigned lane = 0; lane < kLanes; ++lane)
            word[lane] |= lanes[lane] << shift;
        if (shift + width <= kWord)
            continue;
        for (unsigned lane = 0; lane < kLanes; ++lane)
            word[kLanes + lane] = lanes[lane] >> (kWord - shift);
    }
    std::memcpy(out, words.data(), blockBytes(width));
}

// width 1..32; values = base + (packed << to).
TRAINSCOPE_VECTORIZED
void unpackNarrow(
    const std::uint8_t* in, unsigned width, std::uint64_t base, std::uint64_t* values) {
    // One word more than there is, so that the last row may look ahead.
    alignas(64) std::array<std::uint32_t, kBlock + kLanes> words;
    std::memcpy(words.data(), in, blockBytes(width));
    std::fill_n(words.data() + std::size_t{width} * kLanes, kLanes, 0U);
    const std::uint64_t mask = lowBits(width);
    for (unsigned row = 0; row < kRows; ++row) {
        const unsigned bit = row * width;
        const unsigned shift = bit % kWord;
        const std::uint32_t* word = words.data() + std::size_t{bit / kWord} * kLanes;
        std::uint64_t* target = values + std::size_t{row} * kLanes;
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            const std::uint64_t both
                = std::uint64_t{word[lane]} | std::uint64_t{word[kLanes + lane]} << kWord;
            target[lane] = base + (both >> shift & mask);
        }
    }
}

TRAINSCOPE_VECTORIZED
void addShifted(const std::uint64_t* high, std::uint64_t* values) {
    for (std::size_t i = 0; i < kBlock; ++i)
        values[i] += high[i] << kWord;
}

std::uint64_t loadWord(const std::uint8_t* from) {
    std::uint64_t value = 0;
    std::memcpy(&value, from, sizeof value);
    return value;
}

// Any width, byte by byte.
std::uint64_t bitsAt(ByteView packed, std::size_t bit, unsigned width) {
    std::uint64_t value = 0;
    for (unsigned done = 0; done < width;) {
        const auto shift = static_cast<unsigned>(bit % 8);
        const unsigned take = std::min(8 - shift, width - done);
        const std::uint64_t part = std::uint64_t{packed[bit / 8]} >> shift & lowBits(take);
        value |= part << done;
        done += take;
        bit += take;
    }
    return value;
}

} // namespace

bool decodeInts(ByteReader& in, std::span<std::int64_t> values) {
    if (values.empty())
        return in.ok();
    if (values.size() > kMaxColumn)
        return false;
    // The signed and the unsigned type of one width may alias.
    return Decoder(in, {reinterpret_cast<std::uint64_t*>(values.data()), values.size()}).run();
}

void packBlock(const std::uint64_t* values, unsigned width, std::uint8_t* out) {
    if (width > 0)
        packNarrow(values, 0, std::min(width, kWord), out);
    if (width > kWord)
        packNarrow(values, kWord, width - kWord, out + blockBytes(kWord));
}

void unpackBlock(
    const std::uint8_t* in, unsigned width, std::uint64_t base, std::uint64_t* values) {
    if (width == 0) {
        std::fill_n(values, kBlock, base);
        return;
    }
    unpackNarrow(in, std::min(width, kWord), base, values);
    if (width <= kWord)
        return;
    std::array<std::uint64_t, kBlock> high;
    unpackNarrow(in + blockBytes(kWord), width - kWord, 0, high.data());
    addShifted(high.data(), values);
}

void packTail(std::span<const std::uint64_t> values, unsigned width, std::uint8_t* out) {
    std::size_t bit = 0;
    std::fill_n(out, tailBytes(values.size(), width), std::uint8_t{0});
    for (const std::uint64_t value : values) {
        for (unsigned done = 0; done < width;) {
            const auto shift = static_cast<unsigned>(bit % 8);
            const unsigned take = std::min(8 - shift, width - done);
            const std::uint64_t part = value >> done & lowBits(take);
            out[bit / 8] = static_cast<std::uint8_t>(out[bit / 8] | part << shift);
            done += take;
            bit += take;
        }
    }
}

void unpackTail(ByteView in, unsigned width, std::uint64_t base, std::span<std::uint64_t> values) {
    const std::uint64_t mask = lowBits(width);
    // A word read at any byte holds 57 bits of the value that begins in it.
    constexpr unsigned oneLoad = 57;
    std::size_t bit = 0;
    for (std::uint64_t& value : values) {
        value = base
            + (width <= oneLoad && bit / 8 + 8 <= in.size()
                    ? loadWord(in.data() + bit / 8) >> bit % 8 & mask
                    : bitsAt(in, bit, width));
        bit += width;
    }
}

} // namespace trainscope::store
