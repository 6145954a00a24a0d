#pragma once
// Moments, zones and orders of dates as a user types them, in the import sheet and on the command
// line alike. Thread-safe.

#include "importers/common/Importer.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace trainscope::app {

// "2026-04-22 00:08:54.5", "2026-04-22", or unix time: a stamp as logs have it (Stamp.h), in UTC
// unless it names a zone. Absent for anything else.
std::optional<TimeNs> saidMoment(std::string_view text);

// Seconds that a zone is ahead of UTC: "+2", "UTC+02:00", "-0530", "Z", a number of seconds, or a
// name of the time zone database ("Europe/Berlin"), whose offset is that at `wall`: a time of that
// zone's clock as if it were UTC; absent: now. Whole quarters of an hour, 18 hours at most; absent
// for anything else.
std::optional<std::int64_t> saidZone(
    std::string_view text, const std::optional<TimeNs>& wall = std::nullopt);

// "day-first", "month-first". Absent for anything else.
std::optional<importers::DateOrder> saidDates(std::string_view text);

} // namespace trainscope::app
