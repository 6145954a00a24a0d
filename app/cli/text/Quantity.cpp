#include "app/cli/text/Quantity.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <ctime>

namespace trainscope::cli {

namespace {

struct Prefix {
    double factor;
    std::string_view text;
};

constexpr std::array<Prefix, 6> kLargePrefixes{
    {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1.0, ""}}};

// Four significant digits at least, never an exponent for what people read.
std::string digits(double value) {
    const double size = std::abs(value);
    if (size >= 1e7)
        return fmt::format("{:.4g}", value);
    if (size >= 1000.0)
        return fmt::format("{:.0f}", value);
    if (size >= 100.0)
        return fmt::format("{:.1f}", value);
    if (size >= 10.0)
        return fmt::format("{:.2f}", value);
    return fmt::format("{:.3f}", value);
}

std::string prefixed(double value, std::string_view unit) {
    for (const auto& [factor, text] : kLargePrefixes) {
        if (std::abs(value) >= factor)
            return digits(value / factor) + " " + std::string(text) + std::string(unit);
    }
    return digits(value) + " " + std::string(unit);
}

bool isFraction(std::string_view metric) {
    return metric.ends_with("utilization") || metric == "fan_speed";
}

} // namespace

std::string quantityText(double value, std::string_view unit, std::string_view metric) {
    if (unit == "1")
        return isFraction(metric) ? digits(value * 100.0) + " %" : digits(value);
    if (unit == "B" || unit == "B/s" || unit == "Hz" || unit == "J" || unit == "W"
        || unit == "FLOP/s")
        return unit == "W" && std::abs(value) < 1e4 ? digits(value) + " W" : prefixed(value, unit);
    return digits(value) + " " + std::string(unit);
}

std::string quantityText(
    const std::optional<double>& value, std::string_view unit, std::string_view metric) {
    return value ? quantityText(*value, unit, metric) : "-";
}

std::string bytesText(double bytes) {
    return prefixed(bytes, "B");
}

std::string durationText(DurationNs duration) {
    const double ns = static_cast<double>(duration.ns);
    if (std::abs(ns) < 1e3)
        return fmt::format("{} ns", duration.ns);
    if (std::abs(ns) < 1e6)
        return digits(ns / 1e3) + " µs";
    if (std::abs(ns) < 1e9)
        return digits(ns / 1e6) + " ms";
    if (std::abs(ns) < 60e9)
        return digits(ns / 1e9) + " s";
    const std::int64_t minutes = duration.ns / 60'000'000'000;
    const double rest = static_cast<double>(duration.ns % 60'000'000'000) / 1e9;
    if (minutes < 60)
        return fmt::format("{} min {:.1f} s", minutes, rest);
    return fmt::format("{} h {} min {:.0f} s", minutes / 60, minutes % 60, rest);
}

std::string timeText(TimeNs time) {
    std::int64_t second = time.ns / 1'000'000'000;
    std::int64_t rest = time.ns % 1'000'000'000;
    if (rest < 0) {
        rest += 1'000'000'000;
        --second;
    }
    const std::time_t clock = second;
    std::tm parts{};
    if (gmtime_r(&clock, &parts) == nullptr)
        return fmt::format("{} ns", time.ns);
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03} UTC", parts.tm_year + 1900,
        parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
        rest / 1'000'000);
}

} // namespace trainscope::cli
