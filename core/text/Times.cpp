#include "core/text/Times.h"

#include "core/text/NumberMarks.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>

namespace trainscope::text {

namespace {

constexpr std::array<TimeUnit, 4> kTimeUnits{
    {{kSecond, "s"}, {kMillisecond, "ms"}, {kMicrosecond, "µs"}, {1, "ns"}}};

std::int64_t powerOfTen(int exponent) {
    std::int64_t power = 1;
    for (int i = 0; i < exponent; ++i)
        power *= 10;
    return power;
}

} // namespace

std::string alignedDuration(DurationNs duration) {
    // Nanoseconds are whole.
    return std::abs(duration.ns) < kMicrosecond
        ? fmt::format("{} ns", duration.ns)
        : quantity(duration.seconds(), "s", Digits::Aligned);
}

std::string duration(DurationNs duration, Digits digits) {
    if (digits == Digits::Aligned)
        return alignedDuration(duration);
    // Nothing takes no unit of its own.
    return duration.ns == 0
        ? "0 ns"
        : (duration.ns < 0 ? "−" : "") + quantity(std::abs(duration.seconds()), "s", digits);
}

std::string exactDuration(DurationNs duration) {
    const std::int64_t magnitude = std::abs(duration.ns);
    const TimeUnit unit = timeUnitFor(magnitude);
    const int digits = decimalsOf(1, unit.ns);
    return fmt::format("{}{} {}", duration.ns < 0 ? "−" : "",
        withMarks(decimal(magnitude, unit.ns, digits)), unit.symbol);
}

std::string seconds(double seconds) {
    return quantity(seconds, "s", Digits::Three);
}

std::int64_t floorTo(std::int64_t value, std::int64_t step) {
    const std::int64_t rest = value % step;
    return value - (rest < 0 ? rest + step : rest);
}

TimeUnit timeUnitFor(std::int64_t magnitude) {
    for (const auto& unit : kTimeUnits) {
        if (magnitude >= unit.ns)
            return unit;
    }
    return kTimeUnits.back();
}

int decimalsOf(std::int64_t step, std::int64_t unit) {
    int decimals = 0;
    while (unit > 1 && step % unit != 0 && decimals < 9) {
        unit /= 10;
        ++decimals;
    }
    return decimals;
}

std::string decimal(std::int64_t ns, std::int64_t unit, int decimals) {
    const std::int64_t quantum = std::max<std::int64_t>(unit / powerOfTen(decimals), 1);
    const std::int64_t rounded = floorTo(ns, quantum);
    const std::int64_t magnitude = std::abs(rounded);
    std::string text = fmt::format("{}{}", rounded < 0 ? "−" : "", magnitude / unit);
    if (decimals > 0)
        text += fmt::format(".{:0{}}", magnitude % unit / quantum, decimals);
    return text;
}

std::string date(TimeNs time, std::int64_t utcOffsetSeconds) {
    const std::chrono::sys_time<std::chrono::nanoseconds> shown{
        std::chrono::nanoseconds{clampedSum(time.ns, utcOffsetSeconds * kSecond)}};
    const std::chrono::year_month_day day{std::chrono::floor<std::chrono::days>(shown)};
    return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()),
        static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
}

std::string clock(TimeNs time, std::int64_t utcOffsetSeconds, int decimals) {
    const std::int64_t shifted = clampedSum(time.ns, utcOffsetSeconds * kSecond);
    const std::int64_t ofDay = shifted - floorTo(shifted, kDay);
    std::string text = fmt::format(
        "{:02}:{:02}:{:02}", ofDay / kHour, ofDay % kHour / kMinute, ofDay % kMinute / kSecond);
    if (decimals > 0)
        text += fmt::format(".{:0{}}", ofDay % kSecond / powerOfTen(9 - decimals), decimals);
    return text;
}

std::string zone(std::int64_t utcOffsetSeconds) {
    if (utcOffsetSeconds == 0)
        return "UTC";
    const std::int64_t minutes = std::abs(utcOffsetSeconds) / 60;
    return fmt::format(
        "UTC{}{:02}:{:02}", utcOffsetSeconds < 0 ? "−" : "+", minutes / 60, minutes % 60);
}

bool isDated(TimeNs time) {
    constexpr std::int64_t kYear1990 = 7305 * kDay;
    return time.ns < 0 || time.ns >= kYear1990;
}

std::string moment(TimeNs time) {
    if (!isDated(time))
        return "second " + decimal(time.ns, kSecond, 3) + " of its own clock";
    return fmt::format("{} {} UTC", date(time, 0), clock(time, 0, 3));
}

} // namespace trainscope::text
