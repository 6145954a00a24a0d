#include "core/store/codec/BitPack.h"

#include "core/model/Vectorized.h"

#include <algorithm>
#include <array>
#include <bit>

namespace trainscope::store {
namespace {

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
