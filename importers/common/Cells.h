#pragma once
// The cells of GPU logs: the value of one cell ("115.49 W", "100 %", "P0",
// "0x0000000000000004", "[N/A]", "115,49"), and the units that nvidia-smi and the scripts around it
// write.

#include "core/model/Time.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers {

// One line of a separated file as trimmed cells. Quoted cells may hold the separator. A line whose
// quotes do not pair (two lines glued into one quoted cell, a cut line) is split as if it had none.
//
// Columns that blanks alone part (separator ' ') have cells with blanks of their own: "500 W",
// "2026-01-01 10:00:00". As many as `width` says are found: by every run of blanks, by runs of two
// or more and tabs, or with numbers and their units, then dates and their times, put together.

// Reuses its storage from line to line; cells are valid until the next split() or the end of
// `line`.
class CellSplitter {
public:
    // `width`: cells of a line that blanks part; 0: not known, all that belongs together is put so.
    const std::vector<std::string_view>& split(
        std::string_view line, char separator, std::size_t width = 0);

private:
    void splitBlanks(std::string_view line, std::size_t width);
    bool splitQuoted(std::string_view line, char separator);
    void splitPlain(std::string_view line, char separator);

    std::string m_unquoted;
    std::vector<std::string_view> m_cells;
};

// The separator of a line: ';', tab or ',', whichever occurs most outside quotes; '|' where there
// is none of these, ',' without any.
char separatorOf(std::string_view line);

// Cells between runs of two or more blanks, or tabs.
std::vector<std::string_view> cellsBetweenGaps(std::string_view line);
// Heads between blanks, each with the unit in brackets behind it: "# t [s]  P (W)" are two.
std::vector<std::string_view> headsBetweenBlanks(std::string_view line);

struct Unit {
    std::string_view si; // W, °C, Hz, B, B/s, 1, s
    double scale = 1.0; // SI value = number × scale
};

// `text`, in any case, is one of `texts`, which have '|' between them and small letters.
bool isOneOf(std::string_view text, std::string_view texts);

// "W", "mhz", "MiB", "%", ...; case-insensitive. Absent for text that is no unit.
// Only of W and J the case of the prefix matters: mJ and MJ.
// MB and GB of memory are binary: nvidia-smi counts in MiB whatever a script writes above the
// column. The MB of a rate (MB/s, as `nvidia-smi dmon` prints it) is decimal.
std::optional<Unit> findUnit(std::string_view text);

// "F", "°F", "degrees F", …: no factor alone makes °C of it.
bool isFahrenheit(std::string_view unit);
double celsiusOf(double fahrenheit);

enum class CellForm {
    Number, // with or without a unit
    PerformanceState, // P0 to P15
    Hex, // bit mask
    Flag, // Active, Not Active, Enabled, Disabled, Yes, No
};

inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

struct CellValue {
    double number = 0.0;
    std::string_view unit; // as written; empty: none
};

// Absent: not a value of that form (missing markers included, see isMissingCell). A comma is the
// decimal one, but parts thousands of MHz and MiB, which are whole numbers: "1,980 MHz". Any
// other number with one comma and three digits behind it ("1,980") may be either: absent.
std::optional<CellValue> parseCell(std::string_view text, CellForm form);

// "100ms", "1.5 s", "2": a time above nothing and of a day at most, in seconds without a unit.
std::optional<DurationNs> parsePeriod(std::string_view text);

// Markers of "no value": those of isMissingText, anything in brackets, and -1 with or without a
// unit.
bool isMissingCell(std::string_view text);

// The form that the text has, for columns whose name says nothing.
std::optional<CellForm> formOf(std::string_view text);

// True for a UUID that tells a GPU from others; people make them unreadable: "GPU-REDACTED",
// "GPU-xxxxxxxx-xxxx-…", "GPU-00000000-0000-…".
bool tellsApart(std::string_view uuid);

// The index in "3", "GPU 3", "GPU3", "cuda:3", "nvidia3", "card3"; absent for any other text and
// above 9999.
std::optional<int> gpuIndexOf(std::string_view text);

} // namespace trainscope::importers
