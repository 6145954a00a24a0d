#include "app/importing/SaidClock.h"

#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"
#include "importers/common/Stamp.h"

#include <cctz/civil_time.h>
#include <cctz/time_zone.h>

#include <algorithm>
#include <chrono>

namespace trainscope::app {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000; // nanoseconds
constexpr std::int64_t kHour = 3600; // seconds
constexpr std::int64_t kQuarter = 900;
constexpr std::int64_t kFarthest = 18 * kHour;

// "08:00", "8:00", "0800" and "8", without the sign.
std::optional<std::int64_t> clockOffset(std::string_view text) {
    constexpr std::size_t kWithMinutes = 4; // digits
    const std::size_t colon = text.find(':');
    const bool isJoined = colon == std::string_view::npos && text.size() == kWithMinutes;
    const std::size_t end = isJoined ? 2 : std::min(colon, text.size());
    if (end < 1 || end > 2)
        return std::nullopt;
    const auto hours = wholeNumber<std::int64_t>(text.substr(0, end));
    const std::size_t begin = isJoined ? end : end + 1;
    const auto minutes = end == text.size() ? std::optional<std::int64_t>(0)
                                            : wholeNumber<std::int64_t>(text.substr(begin));
    const bool isOffset = hours && minutes && *hours >= 0 && *hours * kHour <= kFarthest
        && *minutes >= 0 && *minutes < 60;
    return isOffset ? std::optional(*hours * kHour + *minutes * 60) : std::nullopt;
}

// True: one of them stood there.
bool takeFirst(std::string_view& text, std::initializer_list<std::string_view> words) {
    const auto* found = std::ranges::find_if(words, [&](std::string_view word) {
        return equalsIgnoringCase(text.substr(0, word.size()), word);
    });
    if (found == words.end())
        return false;
    text = trimmed(text.substr(found->size()));
    return true;
}

// A text that is no time of the clock is a number of seconds: no zone is so few that both could be
// meant.
std::optional<std::int64_t> offsetIn(std::string_view text) {
    if (equalsIgnoringCase(text, "z"))
        return 0;
    if (takeFirst(text, {"UTC", "GMT"}) && text.empty())
        return 0;
    const bool isWest = takeFirst(text, {"-", "\u2212"});
    if (!isWest)
        takeFirst(text, {"+"});
    auto seconds = clockOffset(text);
    if (!seconds || *seconds % kQuarter != 0)
        seconds = wholeNumber<std::int64_t>(text);
    if (!seconds || *seconds < 0 || *seconds > kFarthest || *seconds % kQuarter != 0)
        return std::nullopt;
    return isWest ? -*seconds : *seconds;
}

// A wall time that a change of the clock skips or repeats is taken as before the change.
std::int64_t offsetOf(const cctz::time_zone& zone, const std::optional<TimeNs>& wall) {
    auto moment = std::chrono::system_clock::now();
    if (wall) {
        moment = zone.lookup(cctz::civil_second() + wall->ns / kSecond).pre;
    }
    return zone.lookup(moment).offset;
}

} // namespace

std::optional<TimeNs> saidMoment(std::string_view text) {
    text = trimmed(text);
    const auto stamp = importers::isDate(text) ? importers::parseStamp(text, "00:00:00")
                                               : importers::parseStamp(text);
    if (!stamp || stamp->kind == importers::StampKind::Relative)
        return std::nullopt;
    return stamp->time;
}

std::optional<std::int64_t> saidZone(std::string_view text, const std::optional<TimeNs>& wall) {
    text = trimmed(text);
    if (text.empty())
        return std::nullopt;
    if (const auto offset = offsetIn(text))
        return offset;
    // A path would be read, whatever is there.
    const bool isName = text.front() != '/' && text.find_first_of(":.") == std::string_view::npos;
    cctz::time_zone zone;
    if (!isName || !cctz::load_time_zone(std::string(text), &zone))
        return std::nullopt;
    return offsetOf(zone, wall);
}

std::optional<importers::DateOrder> saidDates(std::string_view text) {
    if (equalsIgnoringCase(trimmed(text), "day-first"))
        return importers::DateOrder::DayFirst;
    if (equalsIgnoringCase(trimmed(text), "month-first"))
        return importers::DateOrder::MonthFirst;
    return std::nullopt;
}

} // namespace trainscope::app
