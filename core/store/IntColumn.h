#pragma once
// A column of 64-bit integers, compressed without loss; every time, integer-like value and id goes
// through it.
//
// Format: u8 head (bits 0-1 order of differences 0..2, bit 2 packing), varint divisor, one signed
// varint per order (the values that start the differences), signed varint lowest residual, u8 width
// in bits, payload. The residuals (differences divided by their common divisor, minus the lowest)
// are bit-packed LSB first, or, where smaller, split into byte planes, least significant first,
// under zstd. All arithmetic is modulo 2^64.

#include "core/store/Bytes.h"

#include <cstdint>
#include <span>

namespace trainscope::store {

// Columns longer than this are refused by the decoders.
inline constexpr std::size_t kMaxColumn = std::size_t{1} << 16U;

void encodeInts(std::span<const std::int64_t> values, Bytes& out);

// Fills `values` from `in`; false when the bytes are not such a column of that length.
bool decodeInts(ByteReader& in, std::span<std::int64_t> values);

} // namespace trainscope::store
