#pragma once
// One line of a separated file as trimmed cells. Quoted cells may hold the separator. A line whose
// quotes do not pair (two lines glued into one quoted cell, a cut line) is split as if it had none.

#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers {

// Reuses its storage from line to line; cells are valid until the next split() or the end of
// `line`.
class CellSplitter {
public:
    const std::vector<std::string_view>& split(std::string_view line, char separator);

private:
    bool splitQuoted(std::string_view line, char separator);
    void splitPlain(std::string_view line, char separator);

    std::string m_unquoted;
    std::vector<std::string_view> m_cells;
};

// The separator of a line: ';', tab or ',', whichever occurs most outside quotes; ',' without any.
char separatorOf(std::string_view line);

} // namespace trainscope::importers
