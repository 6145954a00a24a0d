#include "importers/engine/Moments.h"

#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"
#include "core/text/Times.h"
#include "importers/common/Number.h"
#include "importers/common/Stamp.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

namespace trainscope::importers::engine {

namespace {

constexpr std::int64_t kMsPerSecond = 1000;
constexpr std::array<std::pair<std::string_view, std::int64_t>, 6> kUnits{
    {{"ms", text::kMillisecond}, {"w", 7 * text::kDay}, {"d", text::kDay}, {"h", text::kHour},
        {"m", text::kMinute}, {"s", text::kSecond}}};

std::optional<std::int64_t> takeUnit(std::string_view& rest) {
    for (const auto& [symbol, ns] : kUnits) {
        if (!rest.starts_with(symbol))
            continue;
        rest.remove_prefix(symbol.size());
        return ns;
    }
    return std::nullopt;
}

// "2026-11-22", then T, t or a blank.
std::optional<std::int64_t> dayOf(std::string_view text) {
    if (text.size() != 10 || text[4] != '-' || text[7] != '-')
        return std::nullopt;
    const auto year = wholeNumber<int>(text.substr(0, 4));
    const auto month = wholeNumber<int>(text.substr(5, 2));
    const auto day = wholeNumber<int>(text.substr(8, 2));
    if (!year || !month || !day)
        return std::nullopt;
    return daysOf(*year, *month, *day);
}

std::optional<int> twoDigits(std::string_view text, std::size_t at, int limit) {
    if (text.size() < at + 2)
        return std::nullopt;
    const auto number = wholeNumber<int>(text.substr(at, 2));
    return number && *number >= 0 && *number < limit ? number : std::nullopt;
}

// "10:00:00.250": ns of the day; what follows stays in `text`.
std::optional<std::int64_t> takeClock(std::string_view& text) {
    const auto hour = twoDigits(text, 0, 24);
    const auto minute = twoDigits(text, 3, 60);
    if (!hour || !minute || text[2] != ':')
        return std::nullopt;
    std::int64_t ns = *hour * text::kHour + *minute * text::kMinute;
    text.remove_prefix(5);
    if (!text.starts_with(':'))
        return ns;
    std::size_t end = 1;
    while (end < text.size() && (isDigit(text[end]) || text[end] == '.'))
        ++end;
    const auto seconds = decimalToNs(text.substr(1, end - 1), text::kSecond);
    if (!seconds || *seconds < 0 || *seconds > text::kMinute)
        return std::nullopt;
    text.remove_prefix(end);
    return ns + *seconds;
}

std::optional<std::int64_t> zoneOf(std::string_view text) {
    if (text == "Z" || text == "z")
        return 0;
    if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':')
        return std::nullopt;
    const auto hours = twoDigits(text, 1, 24);
    const auto minutes = twoDigits(text, 4, 60);
    if (!hours || !minutes)
        return std::nullopt;
    const std::int64_t ns = *hours * text::kHour + *minutes * text::kMinute;
    return text[0] == '-' ? -ns : ns;
}

std::optional<TimeNs> stampFrom(std::string_view text) {
    if (text.size() < 11)
        return std::nullopt;
    const auto day = dayOf(text.substr(0, 10));
    if (!day || (lowerChar(text[10]) != 't' && text[10] != ' '))
        return std::nullopt;
    text.remove_prefix(11);
    const auto clock = takeClock(text);
    const auto zone = clock ? zoneOf(text) : std::nullopt;
    if (!zone)
        return std::nullopt;
    return TimeNs{*day * text::kDay + *clock - *zone};
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
