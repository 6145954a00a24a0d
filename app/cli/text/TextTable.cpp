#include "app/cli/text/TextTable.h"

#include <algorithm>
#include <ostream>
#include <utility>

namespace trainscope::cli {

namespace {

bool startsCharacter(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

} // namespace

std::size_t displayWidth(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), startsCharacter));
}

std::string elided(std::string_view text, std::size_t width) {
    if (displayWidth(text) <= width || width == 0)
        return std::string(text);
    std::size_t characters = 0;
    std::size_t end = 0;
    for (; end < text.size(); ++end) {
        if (startsCharacter(text[end]) && ++characters == width)
            break;
    }
    return std::string(text.substr(0, end)) + "…";
}

TextTable::TextTable(std::vector<Column> columns)
    : m_columns(std::move(columns)) { }

void TextTable::add(std::vector<std::string> cells) {
    cells.resize(m_columns.size());
    m_rows.push_back(std::move(cells));
}

void TextTable::print(std::ostream& out, std::string_view indent) const {
    std::vector<std::size_t> widths;
    std::vector<std::string> titles;
    for (const auto& column : m_columns) {
        widths.push_back(displayWidth(column.title));
        titles.push_back(column.title);
    }
    for (const auto& row : m_rows) {
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], displayWidth(row[i]));
    }
    const auto printRow = [&](const std::vector<std::string>& row) {
        std::string line(indent);
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string blanks(widths[i] - displayWidth(row[i]), ' ');
            line += i == 0 ? "" : "  ";
            line += m_columns[i].align == Align::Left ? row[i] + blanks : blanks + row[i];
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out << line << '\n';
    };
    printRow(titles);
    for (const auto& row : m_rows)
        printRow(row);
}

} // namespace trainscope::cli
