#include "core/plot/TimeText.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdlib>

namespace trainscope::plot {

namespace {

constexpr std::array<TimeUnit, 4> kUnits{
    {{kSecond, "s"}, {kMillisecond, "ms"}, {kMicrosecond, "µs"}, {1, "ns"}}};

std::int64_t powerOfTen(int exponent) {
    std::int64_t power = 1;
    for (int i = 0; i < exponent; ++i)
        power *= 10;
    return power;
}

std::string grouped(std::string digits) {
    for (std::size_t at = 3; at < digits.size(); at += 4)
        digits.insert(at, " ");
    return digits;
}

} // namespace

std::int64_t floorTo(std::int64_t value, std::int64_t step) {
    const std::int64_t rest = value % step;
    return value - (rest < 0 ? rest + step : rest);
}

TimeUnit timeUnitFor(std::int64_t magnitude) {
    for (const auto& unit : kUnits) {
        if (magnitude >= unit.ns)
            return unit;
    }
    return kUnits.back();
}

int decimalsOf(std::int64_t step, std::int64_t unit) {
    int decimals = 0;
    while (unit > 1 && step % unit != 0 && decimals < 9) {
        unit /= 10;
        ++decimals;
    }
    return decimals;
}

std::string decimalText(std::int64_t ns, std::int64_t unit, int decimals) {
    const std::int64_t quantum = std::max<std::int64_t>(unit / powerOfTen(decimals), 1);
    const std::int64_t rounded = floorTo(ns, quantum);
    const std::int64_t magnitude = std::abs(rounded);
    std::string text = fmt::format("{}{}", rounded < 0 ? "−" : "", magnitude / unit);
    if (decimals > 0)
        text += "." + grouped(fmt::format("{:0{}}", magnitude % unit / quantum, decimals));
    return text;
}

std::string dateText(TimeNs time, std::int64_t utcOffsetSeconds) {
    const std::int64_t days = floorTo(time.ns + utcOffsetSeconds * kSecond, kDay) / kDay;
    const std::chrono::year_month_day date{
        std::chrono::sys_days{std::chrono::days{static_cast<int>(days)}}};
    return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
        static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

std::string clockText(TimeNs time, std::int64_t utcOffsetSeconds, int decimals) {
    const std::int64_t shifted = time.ns + utcOffsetSeconds * kSecond;
    const std::int64_t ofDay = shifted - floorTo(shifted, kDay);
    std::string text = fmt::format(
        "{:02}:{:02}:{:02}", ofDay / kHour, ofDay % kHour / kMinute, ofDay % kMinute / kSecond);
    if (decimals > 0) {
        const std::int64_t fraction = ofDay % kSecond / powerOfTen(9 - decimals);
        text += "." + grouped(fmt::format("{:0{}}", fraction, decimals));
    }
    return text;
}

std::string zoneText(std::int64_t utcOffsetSeconds) {
    if (utcOffsetSeconds == 0)
        return "UTC";
    const std::int64_t minutes = std::abs(utcOffsetSeconds) / 60;
    return fmt::format(
        "UTC{}{:02}:{:02}", utcOffsetSeconds < 0 ? "−" : "+", minutes / 60, minutes % 60);
}

} // namespace trainscope::plot
