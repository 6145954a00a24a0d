#include "app/cli/commands/ImportClock.h"

#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "importers/common/Cells.h"
#include "importers/common/Stamp.h"

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

Result<std::int64_t> offsetOf(const std::string& text) {
    constexpr std::int64_t kMost = std::int64_t{18} * 3600;
    std::optional<std::int64_t> seconds;
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) {
        seconds = wholeNumber<std::int64_t>(text.starts_with('+') ? text.substr(1) : text);
    } else if (colon >= 2) {
        const bool isWest = text.starts_with('-');
        const std::size_t sign = isWest || text.starts_with('+') ? 1 : 0;
        const auto hours = wholeNumber<std::int64_t>(text.substr(sign, colon - sign));
        const auto minutes = wholeNumber<std::int64_t>(text.substr(colon + 1));
        if (hours && minutes && *minutes >= 0 && *minutes < 60)
            seconds = (isWest ? -1 : 1) * (*hours * 3600 + *minutes * 60);
    }
    if (!seconds || *seconds > kMost || *seconds < -kMost)
        return usageError(
            "--utc-offset takes a zone such as +08:00, or seconds ahead of UTC; not \"" + text
            + "\".");
    return *seconds;
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
