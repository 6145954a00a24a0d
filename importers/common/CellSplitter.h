#pragma once
// One line of a separated file as trimmed cells. Quoted cells may hold the separator. A line whose
// quotes do not pair (two lines glued into one quoted cell, a cut line) is split as if it had none.
//
// Columns that blanks alone part (separator ' ') have cells with blanks of their own: "500 W",
// "2026-01-01 10:00:00". As many as `width` says are found: by every run of blanks, by runs of two
// or more and tabs, or with numbers and their units, then dates and their times, put together.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers {

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

} // namespace trainscope::importers
