#include "importers/engine/Moments.h"

#include "core/model/AsciiText.h"
#include "core/text/Times.h"
#include "importers/common/Number.h"
#include "importers/common/Stamp.h"

#include <fmt/format.h>

#include <array>

namespace trainscope::importers::engine {

namespace {

constexpr std::int64_t kMsPerSecond = 1000;
constexpr std::array<std::pair<std::string_view, std::int64_t>, 9> kUnits{
    {{"ms", text::kMillisecond}, {"us", 1000}, {"µs", 1000}, {"w", 7 * text::kDay},
        {"d", text::kDay}, {"h", text::kHour}, {"min", text::kMinute}, {"m", text::kMinute},
        {"s", text::kSecond}}};

std::optional<std::int64_t> takeUnit(std::string_view& rest) {
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    for (const auto& [symbol, ns] : kUnits) {
        if (!rest.starts_with(symbol))
            continue;
        rest.remove_prefix(symbol.size());
        return ns;
    }
    return std::nullopt;
}

// With its zone.
std::optional<TimeNs> stampFrom(std::string_view text) {
    const auto stamp = parseStamp(text);
    return stamp && stamp->kind == StampKind::Zoned ? std::optional(stamp->time) : std::nullopt;
}

} // namespace

std::optional<DurationNs> durationFrom(std::string_view text) {
    if (text.empty())
        return std::nullopt;
    std::int64_t sum = 0;
    while (!text.empty()) {
        std::size_t digits = 0;
        while (digits < text.size() && (isDigit(text[digits]) || text[digits] == '.'))
            ++digits;
        const std::string_view number = text.substr(0, digits);
        text.remove_prefix(digits);
        const bool isBare = text.empty() && sum == 0;
        const auto unit = isBare ? std::optional(text::kSecond) : takeUnit(text);
        // decimalToNs() reads the whole part as well as the decimals of any unit.
        const auto part = unit && digits > 0 ? decimalToNs(number, *unit) : std::nullopt;
        if (!part || *part > std::numeric_limits<std::int64_t>::max() / 4 - sum)
            return std::nullopt;
        sum += *part;
    }
    return DurationNs{sum};
}

bool isRelative(std::string_view moment) {
    moment = trimmed(moment);
    return moment.starts_with("now") || moment.starts_with('-');
}

Result<TimeNs> momentFrom(std::string_view text, TimeNs now) {
    const std::string_view whole = trimmed(text);
    if (whole == "now")
        return now;
    if (isRelative(whole)) {
        const std::string_view rest = whole.starts_with("now") ? whole.substr(3) : whole;
        const bool isSigned = rest.starts_with('-') || rest.starts_with('+');
        const auto length = isSigned ? durationFrom(rest.substr(1)) : std::nullopt;
        if (length)
            return rest.front() == '-' ? now - *length : now + *length;
    } else if (const auto stamp = stampFrom(whole)) {
        return *stamp;
    } else if (!whole.empty() && whole.find('-') == std::string_view::npos) {
        if (const auto seconds = decimalToNs(whole, text::kSecond))
            return TimeNs{*seconds};
    }
    return usageError("\"" + std::string(whole)
        + "\" is no time; give one with its zone such as 2026-11-22T10:00:00Z, unix seconds, now, "
          "or one before now such as -2h.");
}

std::string rfc3339(TimeNs time) {
    const std::int64_t rest = time.ns - text::floorTo(time.ns, text::kSecond);
    return text::date(time, 0) + "T" + text::clock(time, 0, rest == 0 ? 0 : 3) + "Z";
}

std::string apiSeconds(std::int64_t milliseconds) {
    const std::int64_t seconds = text::floorTo(milliseconds, kMsPerSecond) / kMsPerSecond;
    return fmt::format("{}.{:03}", seconds, milliseconds - seconds * kMsPerSecond);
}

std::string engineDuration(std::int64_t milliseconds) {
    std::string text;
    if (const std::int64_t seconds = milliseconds / kMsPerSecond; seconds > 0)
        text = fmt::format("{}s", seconds);
    if (const std::int64_t rest = milliseconds % kMsPerSecond; rest > 0 || text.empty())
        text += fmt::format("{}ms", rest);
    return text;
}

} // namespace trainscope::importers::engine
