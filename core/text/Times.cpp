#include "core/text/Times.h"

#include "core/text/NumberMarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>

namespace trainscope::text {

namespace {

constexpr std::array<TimeUnit, 4> kTimeUnits{
    {{kSecond, "s"}, {kMillisecond, "ms"}, {kMicrosecond, "µs"}, {1, "ns"}}};

// Number of steps nearest to a time that is not negative.
std::int64_t nearestSteps(std::int64_t ns, std::int64_t step) {
    const std::int64_t rest = ns % step;
    return ns / step + (rest >= step - rest ? 1 : 0);
}

// In which so many digits stay below 1000: 999.97 µs are 1 ms in four.
TimeUnit timeUnitOfDigits(std::int64_t magnitude, Digits digits) {
    return timeUnitFor(magnitude + magnitude / (digits == Digits::Three ? 1'999 : 19'999));
}

std::int64_t powerOfTen(int exponent) {
    std::int64_t power = 1;
    for (int i = 0; i < exponent; ++i)
        power *= 10;
    return power;
}

} // namespace

std::string alignedDuration(DurationNs duration) {
    const std::int64_t magnitude = std::abs(duration.ns);
    if (magnitude < kMinute) {
        const TimeUnit unit = timeUnitOfDigits(magnitude, Digits::Aligned);
        return unit.ns == 1
            ? fmt::format("{} ns", duration.ns)
            : fmt::format("{} {}",
                quantity(static_cast<double>(duration.ns) / static_cast<double>(unit.ns), "1",
                    Digits::Aligned),
                unit.symbol);
    }
    // Rounded as a whole, or the rest of 119.97 s would be 60.0 s.
    const std::string_view sign = duration.ns < 0 ? "-" : "";
    const std::int64_t tenths = nearestSteps(magnitude, kSecond / 10);
    if (tenths < 36'000)
        return fmt::format("{}{} min {:.1f} s", sign, tenths / 600,
            worded(static_cast<double>(tenths % 600) / 10.0));
    const std::int64_t seconds = nearestSteps(magnitude, kSecond);
    return fmt::format(
        "{}{} h {} min {} s", sign, seconds / 3'600, seconds % 3'600 / 60, seconds % 60);
}

std::string duration(DurationNs duration, Digits digits) {
    if (digits == Digits::Aligned)
        return alignedDuration(duration);
    const std::int64_t magnitude = std::abs(duration.ns);
    const std::string_view sign = duration.ns < 0 ? "−" : "";
    const std::int64_t seconds = nearestSteps(magnitude, kSecond);
    const std::int64_t minutes = nearestSteps(magnitude, kMinute);
    if (seconds >= 3'600)
        return fmt::format("{}{} h {} min", sign, minutes / 60, minutes % 60);
    if (magnitude >= 10 * kMinute)
        return fmt::format("{}{} min {} s", sign, seconds / 60, seconds % 60);
    const TimeUnit unit = timeUnitOfDigits(magnitude, digits);
    const double shown = static_cast<double>(magnitude) / static_cast<double>(unit.ns);
    return fmt::format(
        "{}{} {}", sign, number(shown, digits == Digits::Three ? 3 : 4, 3), unit.symbol);
}

std::string exactDuration(DurationNs duration) {
    const std::int64_t magnitude = std::abs(duration.ns);
    const TimeUnit unit = timeUnitFor(magnitude);
    const int digits = decimalsOf(1, unit.ns);
    return fmt::format("{}{} {}", duration.ns < 0 ? "−" : "",
        withMarks(decimal(magnitude, unit.ns, digits)), unit.symbol);
}

std::string seconds(double seconds) {
    constexpr double kMostInSeconds = 120.0;
    constexpr double kMostInMinutes = 7200.0;
    constexpr double kMostSeconds = 9e9; // that nanoseconds count
    if (std::abs(seconds) < kMostInSeconds)
        return quantity(seconds, "s", Digits::Three);
    return std::abs(seconds) < kMostInMinutes
        ? quantity(seconds / 60.0, "1", Digits::Three) + " min"
        : duration({std::llround(std::clamp(seconds, -kMostSeconds, kMostSeconds) * 1e9)});
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
