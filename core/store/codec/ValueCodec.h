#pragma once
// The column of the values of a sample chunk; for that of its times see TimeCodec.h.
//
// Format: u8 kind with bit 7 set where samples are missing, then (if so) varint
// number of runs and a column of run lengths, present first; then by kind
//   0 nothing: every sample is missing
//   1 u8 k, column of integers m: value = m / 10^k, k 0..9, |m| < 2^51, chosen only where that is
//     the value bit for bit
//   2 the values' bit patterns, each XORed with the one before, as eight byte planes under zstd
//   3 column of integers, the values themselves, beyond 2^51
// A missing sample is NaN; all NaNs are the same.

#include "core/store/codec/Bytes.h"
#include "core/store/codec/IntColumn.h"

#include <optional>

namespace trainscope::store {

inline constexpr std::size_t kChunkSamples = 16384;

// Squeezed as Repeating, readings that repeat cost next to nothing.
void encodeValues(std::span<const double> values, Bytes& out, Squeeze squeeze = Squeeze::No);
bool decodeValues(ByteView bytes, std::span<double> values);

// Doubles that a text with a few decimals stood for are kept as integers: value = m / 10^k.
inline constexpr unsigned kMostDecimals = 9;
// Integers below this size become doubles and come back by adding a constant.
inline constexpr double kExactIntegers = 2251799813685248.0; // 2^51

// The fewest decimals k that give every value back, and the integers; absent where there are none
// with |m| < 2^51. No value may be NaN.
std::optional<unsigned> toDecimals(std::span<const double> values, std::span<std::int64_t> out);

// values[i] = integers[i] / 10^k, k ≤ kMostDecimals; same lengths.
void fromDecimals(std::span<const std::int64_t> integers, unsigned k, std::span<double> values);

} // namespace trainscope::store
