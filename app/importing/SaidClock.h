#pragma once
// The clock of sources as a user states it, in the import sheet and on the command line alike: when
// a recording without dates began, how far apart readings without stamps are, and the zone of local
// stamps. Thread-safe.

#include "importers/common/Importer.h"

#include <cstdint>
#include <optional>
#include <string>
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
// The same of this machine's zone.
std::int64_t zoneHere(const std::optional<TimeNs>& wall);

// "day-first", "month-first". Absent for anything else.
std::optional<importers::DateOrder> saidDates(std::string_view text);

struct SaidClock {
    std::optional<TimeNs> start; // of sources without dates
    std::optional<DurationNs> period; // between readings without stamps
    std::string zone; // of local stamps, as saidZone() takes it; empty: not stated
    importers::DateOrder dates = importers::DateOrder::Unknown; // that can be read in two ways
};

// States it of a unit, as far as the unit's own clock leaves it open.
void stateClock(const SaidClock& clock, importers::ImportUnit& unit);

} // namespace trainscope::app
