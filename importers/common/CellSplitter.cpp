#include "importers/common/CellSplitter.h"

#include "core/model/AsciiText.h"

#include <bit>
#include <cstdint>
#include <cstring>

namespace trainscope::importers {

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
    const auto cut = [&](std::size_t end) {
        m_cells.push_back(trimmed(line.substr(begin, end - begin)));
        begin = end + 1;
    };
    // Cells are short: finding each by a search of its own costs more than marking eight bytes at
    // once. A byte that is the separator is zero after the exclusive or, and marked in its highest
    // bit.
    constexpr std::uint64_t kLow = 0x7F7F7F7F7F7F7F7F;
    const std::uint64_t pattern = 0x0101010101010101 * static_cast<unsigned char>(separator);
    std::size_t at = 0;
    if constexpr (std::endian::native == std::endian::little) {
        for (; line.size() - at >= 8; at += 8) {
            std::uint64_t bytes = 0;
            std::memcpy(&bytes, line.data() + at, 8);
            bytes ^= pattern;
            std::uint64_t marks = ~(((bytes & kLow) + kLow) | bytes | kLow);
            for (; marks != 0; marks &= marks - 1)
                cut(at + static_cast<std::size_t>(std::countr_zero(marks)) / 8);
        }
    }
    for (; at < line.size(); ++at) {
        if (line[at] == separator)
            cut(at);
    }
    cut(line.size());
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

} // namespace trainscope::importers
