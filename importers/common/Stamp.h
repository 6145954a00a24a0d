#pragma once
// Time stamps of GPU logs: nvidia-smi's own (`2026/04/22 00:03:09.407`, local time without zone),
// ISO 8601 with Z, an offset or nothing, dates of spreadsheets and loggers (`22.04.2026 00:03:09`,
// `04/22/2026 12:03:09 AM`, `22-Apr-2026 00:03`), unix seconds, ms, µs or ns by magnitude, seconds
// since the start of the recording, and dates in words (`Tue Mar 25 09:12:42 2025`, with or without
// a zone; `Tue, 25 Mar 2025 09:12:42 GMT`).

#include "core/model/Time.h"

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

// Order in dates that begin with one or two digits: the place of the day in the first two numbers.
// Unknown: the one above 12; where none is, the month comes first before '/', the day before '-'
// and '.'.
enum class DateOrder { Unknown, DayFirst, MonthFirst };

// Years 1990 to 2200; digits below 1 ns are cut off. Absent for anything else, and for days that
// no month has.
std::optional<Stamp> parseStamp(std::string_view text, DateOrder order = DateOrder::Unknown);
// The same where a plain number counts units of so many nanoseconds, as the head of its column
// says: since a start, or unix time where it is that late. A number that is neither is read as
// above.
std::optional<Stamp> parseStampIn(std::string_view text, std::int64_t nsPerUnit);
// Nanoseconds in "ms", "µs", "sec", "min", …; absent for what is no unit of time.
std::optional<std::int64_t> timeUnit(std::string_view text);
// A date and a time of day that stand apart: "2025-12-31" or "20251231", "23:59:58".
std::optional<Stamp> parseStamp(
    std::string_view date, std::string_view time, DateOrder order = DateOrder::Unknown);
// True for a date without a time of day.
bool isDate(std::string_view text);
// Days since 1970-01-01; absent for a day that the calendar does not have.
std::optional<std::int64_t> daysOf(int year, int month, int day);
// The stamp of a line that has nothing else but a label: "Tue Jan  6 09:00:00 UTC 2026",
// "=== 2026-01-06 09:00:00 ===", "Timestamp: 1767690000".
std::optional<Stamp> parseDateLine(std::string_view line);
// "23:59:50", "11:59:50 PM", with any fraction or none.
std::optional<Stamp> parseTimeOfDay(std::string_view text);

// Finds the order of a file's dates from as many of its stamps as possible: one of the numbers is
// above 12, or time runs on one way and leaps the other.
class DateOrderEvidence {
public:
    void see(std::string_view stamp);
    // True where there were dates whose order is not plain.
    [[nodiscard]] bool isOpen() const { return m_open && order() == DateOrder::Unknown; }
    [[nodiscard]] DateOrder order() const;

private:
    bool m_open = false;
    bool m_isDayFirst = false; // shown by a number above 12
    bool m_isMonthFirst = false;
    std::int64_t m_lastDay[2] = {}; // by order: as day first, as month first
    std::int64_t m_leaps[2] = {}; // days passed, both ways
    bool m_hasLast = false;
};

// Relation of a source's time stamps to UTC.
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

// Sentence for stamps that go back by that much.
std::string stepBackText(DurationNs back, std::optional<StampKind> stamps);

} // namespace trainscope::importers
