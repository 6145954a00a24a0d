#pragma once
// The columns of a sample chunk.
//
// Times: TimeCodec.h. Values: u8 kind with bit 7 set where samples are missing, then (if so) varint
// number of runs and a column of run lengths, present first; then by kind
//   0 nothing: every sample is missing
//   1 u8 k, column of integers m: value = m / 10^k, k 0..9, |m| < 2^51, chosen only where that is
//     the value bit for bit
//   2 the values' bit patterns, each XORed with the one before, as eight byte planes under zstd
//   3 column of integers, the values themselves, beyond 2^51
// A missing sample is NaN; all NaNs are the same.

#include "core/store/codec/Bytes.h"

#include <cstdint>
#include <span>

namespace trainscope::store {

inline constexpr std::size_t kChunkSamples = 16384;

void encodeValues(std::span<const double> values, Bytes& out);
bool decodeValues(ByteView bytes, std::span<double> values);

} // namespace trainscope::store
