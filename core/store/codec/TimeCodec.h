#pragma once
// Columns of time stamps, in whole nanoseconds.
//
// Format: u8 kind, then one column of integers (IntColumn.h) in ticks or, kind bit 2, in the
// differences of the ticks to those of another column of the same length and kind that was sampled
// together with this one. Ticks by kind bits 0-1:
//   0 nanoseconds
//   1, 2 2^-22 s, the grid of double-precision Unix seconds between 2004 and 2038, in which clocks
//     like Python's time.time() count: the stamp is the tick as text with 7 decimals (1), or with
//     the fewest decimals that give the double back (2), at most 7. Chosen only where that is
//     exact for every stamp.

#include "core/store/codec/Bytes.h"

namespace trainscope::store {

inline constexpr std::uint8_t kRelativeTimes = 4;

void encodeTimes(std::span<const std::int64_t> times, Bytes& out);
// Relative to `base`; true unless the two count in different ticks, and the column stands alone.
bool encodeTimesBeside(
    std::span<const std::int64_t> times, std::span<const std::int64_t> base, Bytes& out);

// True when the differences to `base` (same length) look narrower than the column by itself, judged
// by a few stretches.
bool isWorthBeside(std::span<const std::int64_t> times, std::span<const std::int64_t> base);

// `base` is the encoded column that a relative one refers to, else empty. False when the bytes are
// not a column of that length.
bool decodeTimes(ByteView bytes, ByteView base, std::span<std::int64_t> times);

} // namespace trainscope::store
