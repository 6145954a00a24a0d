#include "importers/nvsmi/Cells.h"

#include "importers/nvsmi/Text.h"

#include <algorithm>

namespace trainscope::importers::nvsmi {

const std::vector<std::string_view>& CellSplitter::split(std::string_view line, char separator) {
    m_cells.clear();
    if (line.find('"') == std::string_view::npos) {
        splitPlain(line, separator);
        return m_cells;
    }
    if (splitQuoted(line, separator))
        return m_cells;
    m_cells.clear();
    m_unquoted.assign(line);
    std::erase(m_unquoted, '"');
    splitPlain(m_unquoted, separator);
    return m_cells;
}

bool CellSplitter::splitQuoted(std::string_view line, char separator) {
    std::size_t begin = 0;
    bool quoted = false;
    for (std::size_t i = 0; i <= line.size(); ++i) {
        if (i < line.size() && line[i] == '"') {
            quoted = !quoted;
            continue;
        }
        if (i < line.size() && (quoted || line[i] != separator))
            continue;
        std::string_view cell = trimmed(line.substr(begin, i - begin));
        if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"')
            cell = trimmed(cell.substr(1, cell.size() - 2));
        m_cells.push_back(cell);
        begin = i + 1;
    }
    return !quoted;
}

void CellSplitter::splitPlain(std::string_view line, char separator) {
    std::size_t begin = 0;
    while (true) {
        const std::size_t end = std::min(line.find(separator, begin), line.size());
        m_cells.push_back(trimmed(line.substr(begin, end - begin)));
        if (end == line.size())
            return;
        begin = end + 1;
    }
}

char separatorOf(std::string_view line) {
    std::size_t semicolons = 0;
    std::size_t tabs = 0;
    std::size_t commas = 0;
    bool quoted = false;
    for (const char c : line) {
        if (c == '"')
            quoted = !quoted;
        if (quoted)
            continue;
        semicolons += c == ';' ? 1U : 0U;
        tabs += c == '\t' ? 1U : 0U;
        commas += c == ',' ? 1U : 0U;
    }
    // A decimal comma beside semicolons or tabs may well be more frequent than they are.
    if (semicolons > 0)
        return ';';
    return tabs > 0 && tabs >= commas ? '\t' : ',';
}

} // namespace trainscope::importers::nvsmi
