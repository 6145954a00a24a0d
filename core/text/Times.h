#pragma once
// Times in words: lengths of time, moments with date, clock and zone, and the digits of a time in
// one unit. Digits are made from whole nanoseconds and not grouped. Any thread.

#include "core/model/Time.h"
#include "core/text/Numbers.h"

namespace trainscope::text {

inline constexpr std::int64_t kMicrosecond = 1'000;
inline constexpr std::int64_t kMillisecond = 1'000'000;
inline constexpr std::int64_t kSecond = 1'000'000'000;
inline constexpr std::int64_t kMinute = 60 * kSecond;
inline constexpr std::int64_t kHour = 60 * kMinute;
inline constexpr std::int64_t kDay = 24 * kHour;

// "1.84 ms", "2 min 33.1 s", "2 h 3 min", "14.2 days"; Aligned: "1.840 ms", "1 h 2 min 3 s".
std::string duration(DurationNs duration, Digits digits = Digits::Four);
std::string alignedDuration(DurationNs duration);
// All digits down to the nanosecond: "1.842113 ms".
std::string exactDuration(DurationNs duration);
// In a sentence, from seconds: "12.3 ms", "2 min 33 s"; as quantity() of "s" in three digits.
std::string seconds(double seconds);

struct TimeUnit {
    std::int64_t ns;
    std::string_view symbol;
};
// The largest of s, ms, µs, ns that is not above `magnitude`.
TimeUnit timeUnitFor(std::int64_t magnitude);
// Decimals that a step needs in a unit: step 20 ms in s → 2.
int decimalsOf(std::int64_t step, std::int64_t unit);
// ns in that unit with so many decimals, truncated towards minus infinity: "39.604123". Data is
// written so: the point is one on every thread.
std::string decimal(std::int64_t ns, std::int64_t unit, int decimals);

// "2026-11-21" and "03:05:14.250" of an absolute time shifted by an offset; decimals of the seconds
// 0 to 9, behind a point on every thread.
std::string date(TimeNs time, std::int64_t utcOffsetSeconds);
std::string clock(TimeNs time, std::int64_t utcOffsetSeconds, int decimals);
// "UTC", "UTC+02:00".
std::string zone(std::int64_t utcOffsetSeconds);
// False for times from 1970 up to 1990: sources without a date count from their own start.
bool isDated(TimeNs time);
// "2026-01-31 12:00:00.123 UTC"; "second 12.100 of its own clock" where there is no date.
std::string moment(TimeNs time);

// Rounds down, also below zero.
std::int64_t floorTo(std::int64_t value, std::int64_t step);

} // namespace trainscope::text
