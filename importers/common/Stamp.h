#pragma once
// Time stamps of GPU logs: nvidia-smi's own (`2026/04/22 00:03:09.407`, local time without zone),
// ISO 8601 with Z, an offset or nothing, spreadsheet dates (`22.04.2026 00:03:09`), unix seconds,
// ms, µs or ns by magnitude, seconds since the start of the recording, and the banner of
// `nvidia-smi` (`Tue Mar 25 09:12:42 2025`).

#include "core/model/Time.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trainscope::importers {

enum class StampKind {
    Unix, // UTC
    Zoned, // ISO with Z or an offset; UTC
    Local, // wall clock without zone, given as if it were UTC
    Relative, // a number too small for unix time: seconds since some start
    TimeOfDay, // wall clock without date and zone, since midnight
};

struct Stamp {
    TimeNs time;
    StampKind kind = StampKind::Local;
    bool hasFraction = false; // digits below one second were written
};

// Years 1990 to 2200; digits below 1 ns are cut off. Absent for anything else.
std::optional<Stamp> parseStamp(std::string_view text);
std::optional<Stamp> parseBannerDate(std::string_view text);
// "23:59:50", with any fraction or none.
std::optional<Stamp> parseTimeOfDay(std::string_view text);

// How a source's time stamps relate to UTC.
enum class ClockKind {
    Utc, // unix time or an ISO stamp with zone
    Local, // wall clock without zone: utcOffset says what to subtract
    None, // no time stamps: start time and period are needed
};

// The clock of a source whose stamps are of this kind; none without stamps.
ClockKind clockOf(std::optional<StampKind> stamps);
// The same in words of an import report. `localOffsetSeconds`:
// what local stamps are ahead of UTC, absent where nobody said.
std::string clockText(
    std::optional<StampKind> stamps, std::optional<std::int64_t> localOffsetSeconds);

// What to say where stamps go back by that much.
std::string stepBackText(DurationNs back, std::optional<StampKind> stamps);

} // namespace trainscope::importers
