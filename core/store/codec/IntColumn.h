#pragma once
// A column of 64-bit integers, compressed without loss; every time, integer-like value and id goes
// through it. Made for decoding at memory speed.
//
// The column is v(i) = base + divisor·u(i), and u is predicted:
//   Plain  u(i) = r(i)
//   First  u(i) = u(i-1) + r(i)
//   Second u(i) = u(i-1) + d(i), d(i) = d(i-1) + r(i)
//   Line   u(i) = (i·slope >> 16) + r(i)
// from u(-1) = 0. All arithmetic is modulo 2^64. Second, Line and patches are read only: databases
// from before this version have them.
//
// Format: u8 head (bits 0-1 the prediction, bit 2 planes, bit 3 a divisor follows), varint divisor,
// signed varint base, Second: signed varint d(-1), Line: varint slope, then the residuals r in
// blocks of kBlock and a tail: u8 width (bit 7: patched), signed varint reference less
// that of the block before, patched: u8 number, u8 width of patches, u8 positions, patches zigzag
// and bit-packed; then the bits of x: r = reference + x, where a patch adds its value << width.
// Planes: signed varint reference, u8 width, a varint length and the bytes of all x, least
// significant plane first, under zstd.

#include "core/store/codec/Bytes.h"

#include <algorithm>

namespace trainscope::store {

// The bits of a value: differences and sums wrap, as unsigned arithmetic does.
constexpr std::uint64_t word(std::int64_t value) {
    return static_cast<std::uint64_t>(value);
}

// Columns longer than this are refused by the decoders.
inline constexpr std::size_t kMaxColumn = std::size_t{1} << 16U;

// IfMuchSmaller: zstd is tried, and taken where it is smaller by an eighth; it is slow both ways.
// Repeating: the same, of the differences, which are zero where a value repeats the one before.
enum class Squeeze { No, IfMuchSmaller, Repeating };

void encodeInts(
    std::span<const std::int64_t> values, Bytes& out, Squeeze squeeze = Squeeze::IfMuchSmaller);

// Fills `values` from `in`; false when the bytes are not such a column of that length.
bool decodeInts(ByteReader& in, std::span<std::int64_t> values);

// Lists that are longer than a column may be are kept in several parts: encode(part) and
// decode(part), which fills it, false where it cannot.
template <typename T, typename Encode>
void encodeInParts(std::span<const T> all, Encode&& encode) {
    for (std::size_t at = 0; at < all.size(); at += kMaxColumn)
        encode(all.subspan(at, std::min(kMaxColumn, all.size() - at)));
}
template <typename T, typename Decode>
bool decodeInParts(std::uint64_t count, std::vector<T>& all, Decode&& decode) {
    all.clear();
    while (all.size() < count) {
        const std::size_t at = all.size();
        all.resize(static_cast<std::size_t>(std::min<std::uint64_t>(count, at + kMaxColumn)));
        if (!decode(std::span(all).subspan(at)))
            return false;
    }
    return true;
}

// The encoder and the decoder share the following.
enum class Prediction : std::uint8_t { Plain = 0, First = 1, Second = 2, Line = 3 };
inline constexpr std::uint8_t kPredictionBits = 3;
inline constexpr std::uint8_t kPlanesBit = 4;
inline constexpr std::uint8_t kDivisorBit = 8;
inline constexpr std::uint8_t kPatchedBit = 0x80;
inline constexpr unsigned kSlopeBits = 16;

// Unsigned integers in as few bits as the widest of a group needs.
//
// A block is kBlock values: value i lies in lane i % 8, and lane l of word w is the little-endian
// u32 at 4·(8·w + l), so that eight neighbours are shifted at once. Widths above 32 are two such
// blocks, the low 32 bits first. A block takes 32 bytes a bit. Fewer values (a tail) lie one after
// the other, least significant bit first, without padding but in the last byte.

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
