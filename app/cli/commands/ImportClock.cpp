#include "app/cli/commands/ImportClock.h"

#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "importers/common/Cells.h"
#include "importers/common/Stamp.h"

#include <algorithm>
#include <string_view>

namespace trainscope::cli {

namespace {

Result<TimeNs> startOf(const std::string& text) {
    const auto stamp = importers::parseStamp(text);
    if (!stamp || stamp->kind == importers::StampKind::Relative)
        return usageError("--start takes a date such as 2026-04-22T00:03:09Z, or unix time; not \""
            + text + "\".");
    return stamp->time;
}

Result<DurationNs> periodOf(const std::string& text) {
    if (const auto period = importers::parsePeriod(text))
        return *period;
    return usageError(
        "--period takes a time such as 100ms or 1.5 (seconds); not \"" + text + "\".");
}

constexpr std::int64_t kHour = 3600;
constexpr std::int64_t kQuarter = 900; // zones are whole quarters of an hour

// "08:00", "8:00", "0800" and "8", without the sign.
std::optional<std::int64_t> clockOffset(std::string_view text) {
    constexpr std::int64_t kMostHours = 18;
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
    const bool isZone
        = hours && minutes && *hours >= 0 && *hours <= kMostHours && *minutes >= 0 && *minutes < 60;
    return isZone ? std::optional(*hours * kHour + *minutes * 60) : std::nullopt;
}

// A text that is no time of the clock is a number of seconds: no zone is so few that both could be
// meant.
Result<std::int64_t> offsetOf(const std::string& text) {
    constexpr std::int64_t kMost = 18 * kHour;
    if (text == "UTC" || text == "Z")
        return std::int64_t{0};
    const bool isWest = text.starts_with('-');
    const auto size = std::string_view(text).substr(isWest || text.starts_with('+') ? 1 : 0);
    auto seconds = clockOffset(size);
    if (!seconds || *seconds % kQuarter != 0)
        seconds = wholeNumber<std::int64_t>(size);
    if (!seconds || *seconds < 0 || *seconds > kMost || *seconds % kQuarter != 0)
        return usageError("--utc-offset takes a zone such as +08:00, +0800 or +8, or seconds ahead "
                          "of UTC, in whole quarters of an hour; not \""
            + text + "\".");
    return isWest ? -*seconds : *seconds;
}

} // namespace

Result<ImportClock> parseClock(
    const std::string& start, const std::string& period, const std::string& utcOffset) {
    ImportClock clock;
    if (!start.empty()) {
        ASSIGN_OR_RETURN(clock.start, startOf(start));
    }
    if (!period.empty()) {
        ASSIGN_OR_RETURN(clock.period, periodOf(period));
    }
    if (!utcOffset.empty()) {
        ASSIGN_OR_RETURN(clock.utcOffsetSeconds, offsetOf(utcOffset));
    }
    return clock;
}

void applyClock(const ImportClock& clock, importers::ImportUnit& unit) {
    if (unit.clock != importers::ClockKind::Utc) {
        unit.saidStart = clock.start;
        unit.saidPeriod = clock.period;
    }
    if (unit.clock == importers::ClockKind::Local && clock.utcOffsetSeconds)
        unit.utcOffsetSeconds = clock.utcOffsetSeconds;
}

} // namespace trainscope::cli
