#pragma once
// Unsigned integers in as few bits as the widest of a group needs.
//
// A block is kBlock values: value i lies in lane i % 8, and lane l of word w is the little-endian
// u32 at 4·(8·w + l), so that eight neighbours are shifted at once. Widths above 32 are two such
// blocks, the low 32 bits first. A block takes 32 bytes a bit. Fewer values (a tail) lie one after
// the other, least significant bit first, without padding but in the last byte.

#include "core/store/codec/Bytes.h"

namespace trainscope::store {

inline constexpr std::size_t kBlock = 256;

constexpr std::size_t blockBytes(unsigned width) {
    return kBlock / 8 * std::size_t{width};
}
constexpr std::size_t tailBytes(std::size_t count, unsigned width) {
    return (count * width + 7) / 8;
}

// width 0..64; values must fit. `out` has blockBytes(width) or tailBytes(values.size(), width).
void packBlock(const std::uint64_t* values, unsigned width, std::uint8_t* out);
void packTail(std::span<const std::uint64_t> values, unsigned width, std::uint8_t* out);

// values[i] = base + packed[i], modulo 2^64. `in` holds exactly the bytes named above.
void unpackBlock(const std::uint8_t* in, unsigned width, std::uint64_t base, std::uint64_t* values);
void unpackTail(ByteView in, unsigned width, std::uint64_t base, std::span<std::uint64_t> values);

} // namespace trainscope::store
