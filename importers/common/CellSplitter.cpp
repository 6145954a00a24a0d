#include "importers/common/CellSplitter.h"

#include "core/model/AsciiText.h"
#include "importers/common/Cells.h"
#include "importers/common/Stamp.h"

#include <bit>
#include <cstring>

namespace trainscope::importers {

namespace {

constexpr std::string_view kBlankChars = " \t";

// Both are parts of one text.
std::string_view spanOf(std::string_view first, std::string_view last) {
    return {first.data(), static_cast<std::size_t>(last.data() + last.size() - first.data())};
}

// "500", "0.3/192.0".
bool isNumberOrShare(std::string_view word) {
    const std::size_t slash = word.find('/');
    return parseCell(word.substr(0, slash), CellForm::Number).has_value()
        && (slash == std::string_view::npos
            || parseCell(word.substr(slash + 1), CellForm::Number).has_value());
}

bool isUnitBehind(std::string_view word, std::string_view number) {
    const char last = number.empty() ? ' ' : number.back();
    return (isDigit(last) || last == '.') && (findUnit(word) || isFahrenheit(word))
        && isNumberOrShare(number);
}

bool isClockBehind(std::string_view word, std::string_view date) {
    return !date.empty() && isDigit(date.front()) && isDate(date)
        && parseStamp("2000-01-01", word).has_value() && !isDate(word);
}

bool isHalfBehind(std::string_view word, std::string_view clock) {
    return (equalsIgnoringCase(word, "AM") || equalsIgnoringCase(word, "PM"))
        && clock.find(':') != std::string_view::npos;
}

// Puts each word together with the one before where `belongs` says so.
template <typename Belongs>
std::vector<std::string_view> joinedWhere(
    const std::vector<std::string_view>& parts, const Belongs& belongs) {
    std::vector<std::string_view> cells;
    std::string_view last; // the cell at the end
    for (const std::string_view part : parts) {
        if (!cells.empty() && belongs(part, last))
            cells.back() = spanOf(cells.back(), part);
        else
            cells.push_back(part);
        last = part;
    }
    return cells;
}

} // namespace

std::vector<std::string_view> cellsBetweenGaps(std::string_view line) {
    const auto parts = words(line, kBlankChars);
    std::vector<std::string_view> cells;
    for (const std::string_view part : parts) {
        const char* const end = cells.empty() ? nullptr : cells.back().data() + cells.back().size();
        const bool isNear = end != nullptr && part.data() - end == 1 && *end == ' ';
        if (isNear)
            cells.back() = spanOf(cells.back(), part);
        else
            cells.push_back(part);
    }
    return cells;
}

std::vector<std::string_view> headsBetweenBlanks(std::string_view line) {
    return joinedWhere(words(line, kBlankChars), [](std::string_view part, std::string_view last) {
        const bool isUnit = part.size() > 2
            && ((part.front() == '[' && part.back() == ']')
                || (part.front() == '(' && part.back() == ')'));
        return isUnit || last == "#";
    });
}

void CellSplitter::splitBlanks(std::string_view line, std::size_t width) {
    const auto parts = words(line, kBlankChars);
    m_cells = parts;
    if (parts.size() <= width && width > 0)
        return;
    if (width > 0)
        m_cells = cellsBetweenGaps(line);
    if (m_cells.size() == width)
        return;
    m_cells = joinedWhere(parts, isUnitBehind);
    if (m_cells.size() == width)
        return;
    const auto isOfTime = [](std::string_view part, std::string_view last) {
        return isClockBehind(part, last) || isHalfBehind(part, last);
    };
    m_cells = joinedWhere(parts, isOfTime);
    if (m_cells.size() == width)
        return;
    m_cells = joinedWhere(parts, [&isOfTime](std::string_view part, std::string_view last) {
        return isOfTime(part, last) || isUnitBehind(part, last);
    });
}

const std::vector<std::string_view>& CellSplitter::split(
    std::string_view line, char separator, std::size_t width) {
    m_cells.clear();
    if (separator == ' ') {
        splitBlanks(line, width);
        return m_cells;
    }
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
    std::size_t bars = 0;
    bool quoted = false;
    for (const char c : line) {
        if (c == '"')
            quoted = !quoted;
        if (quoted)
            continue;
        semicolons += c == ';' ? 1U : 0U;
        tabs += c == '\t' ? 1U : 0U;
        commas += c == ',' ? 1U : 0U;
        bars += c == '|' ? 1U : 0U;
    }
    // A decimal comma beside semicolons or tabs may well be more frequent than they are.
    if (semicolons > 0)
        return ';';
    if (tabs > 0 && tabs >= commas)
        return '\t';
    return commas == 0 && bars > 0 ? '|' : ',';
}

} // namespace trainscope::importers
