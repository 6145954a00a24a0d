#pragma once
// Text of single times, shared by the axis and by readouts. Digits are made from whole nanoseconds.

#include "core/model/Time.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace trainscope::plot {

inline constexpr std::int64_t kMicrosecond = 1'000;
inline constexpr std::int64_t kMillisecond = 1'000'000;
inline constexpr std::int64_t kSecond = 1'000'000'000;
inline constexpr std::int64_t kMinute = 60 * kSecond;
inline constexpr std::int64_t kHour = 60 * kMinute;
inline constexpr std::int64_t kDay = 24 * kHour;

struct TimeUnit {
    std::int64_t ns;
    std::string_view symbol;
};
// The largest of s, ms, µs, ns that is not above `magnitude`.
TimeUnit timeUnitFor(std::int64_t magnitude);
// Decimals that a step needs in a unit: step 20 ms in s → 2.
int decimalsOf(std::int64_t step, std::int64_t unit);
// ns in that unit with so many decimals, truncated towards minus infinity, decimals in groups of
// three: "39.604 123".
std::string decimalText(std::int64_t ns, std::int64_t unit, int decimals);
// "2026-11-21" and "03:05:14.250" of an absolute time shifted by an offset; decimals of the seconds
// 0 to 9.
std::string dateText(TimeNs time, std::int64_t utcOffsetSeconds);
std::string clockText(TimeNs time, std::int64_t utcOffsetSeconds, int decimals);
// "UTC", "UTC+02:00".
std::string zoneText(std::int64_t utcOffsetSeconds);
// Rounds down, also below zero.
std::int64_t floorTo(std::int64_t value, std::int64_t step);

} // namespace trainscope::plot
