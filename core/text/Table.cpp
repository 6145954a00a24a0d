#include "core/text/Table.h"

#include "core/model/AsciiText.h"
#include "core/model/HarmlessText.h"
#include "core/text/Names.h"
#include "core/text/NumberMarks.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <ostream>
#include <system_error>

namespace trainscope::text {
namespace {

// The byte where that character begins, counted from 0; the end of the text for those behind.
std::size_t placeOf(std::string_view text, std::size_t character) {
    std::size_t seen = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (startsCharacter(text[at]) && seen++ == character)
            return at;
    }
    return text.size();
}

// Unit of the numbers as they stand in the table; empty for plain ones and texts.
std::string csvUnit(const Table& table, std::size_t column) {
    const bool isTime = std::any_of(table.rows.begin(), table.rows.end(),
        [column](const auto& row) { return column < row.size() && row[column].isDuration(); });
    const std::string& unit = table.columns[column].unit;
    return isTime ? "s" : unit == "1" || unit == "%" ? std::string() : unit;
}

// "power, mean (W)".
std::string titleWithUnit(const Table& table, std::size_t column) {
    const std::string unit = csvUnit(table, column);
    const std::string& title = table.columns[column].title;
    return unit.empty() ? title : fmt::format("{} ({})", title, unit);
}

struct SortKey {
    bool isMissing = true;
    std::optional<double> number;
    std::string text;
};

// As CSV has it: there a number is a plain one. Anything else has no order among them.
SortKey keyOf(const Cell& cell) {
    SortKey key{cell.isMissing(), {}, cell.inWords({}, Digits::Four)};
    const std::string plain = cell.inCsv();
    double number = 0.0;
    const char* const end = plain.data() + plain.size();
    const auto [at, error] = std::from_chars(plain.data(), end, number);
    if (!key.isMissing && error == std::errc() && at == end && !std::isnan(number))
        key.number = number;
    return key;
}

bool isBefore(const SortKey& a, const SortKey& b) {
    if (a.number && b.number)
        return *a.number < *b.number;
    if (a.number || b.number)
        return a.number.has_value();
    return naturalOrder(lowered(a.text), lowered(b.text)) < 0;
}

int compactWord() {
    static const int word = std::ios_base::xalloc();
    return word;
}

// Texts say the same in any unit.
std::string inSi(const Cell& cell) {
    const std::string words = cell.inWords({{}, Align::Right, "J"}, Digits::Four);
    const bool isText = words == cell.inWords({{}, Align::Right, "W"}, Digits::Four);
    return isText && !cell.isDuration()
        ? words
        : fmt::format("{:.5g}", std::strtod(cell.inCsv().c_str(), nullptr));
}

void printCompact(std::ostream& out, const Table& table) {
    std::string line;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const bool isShare = table.columns[i].unit == "%";
        line += (i == 0 ? "" : "\t") + harmlessLine(titleWithUnit(table, i))
            + (isShare ? " (of 1)" : "");
    }
    if (line.find_first_not_of('\t') != line.npos)
        out << line << '\n';
    for (const auto& row : table.rows) {
        line.clear();
        for (std::size_t i = 0; i < row.size(); ++i)
            line += (i == 0 ? "" : "\t") + harmlessLine(inSi(row[i]));
        out << line << '\n';
    }
}

// Characters of SI units and their quotients, in UTF-8.
bool isOfUnit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' || c == '/'
        || static_cast<unsigned char>(c) >= 0x80;
}

// "-1,234.5 MW": as it stands or with a unit.
bool isQuantity(std::string_view text) {
    if (text.starts_with('+'))
        text.remove_prefix(1);
    std::string digits(text);
    std::erase(digits, ',');
    double number = 0.0;
    const char* end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, number);
    if (digits.empty() || read.ec == std::errc::invalid_argument)
        return false;
    const std::string_view unit(read.ptr, end);
    return unit.empty()
        || (unit.size() > 1 && unit.front() == ' '
            && std::all_of(unit.begin() + 1, unit.end(), isOfUnit));
}

// Spreadsheets compute a cell that begins so, quoted or not, blanks before it or not; "-" alone and
// quantities they leave as they are.
bool mayBeFormula(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \n");
    if (first == std::string_view::npos)
        return false;
    constexpr std::array<std::string_view, 9> kBeginnings{"=", "+", "-", "@", "\t", "\r",
        "\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\xA0"}; // the last three are full width
    const std::string_view said = text.substr(first);
    const bool begins = std::any_of(kBeginnings.begin(), kBeginnings.end(),
        [said](std::string_view beginning) { return said.starts_with(beginning); });
    return begins && said != "-" && !isQuantity(said);
}

} // namespace

void setCompact(std::ostream& out, long mostRows) {
    out.iword(compactWord()) = mostRows;
}

long compactRows(std::ostream& out) {
    return out.iword(compactWord());
}

Cell::Cell(float value) {
    if (!std::isnan(value))
        m_value = value;
}

std::string Cell::inWords(const Column& column, Digits digits) const {
    if (const auto* text = std::get_if<std::string>(&m_value))
        return *text;
    if (const auto* length = std::get_if<DurationNs>(&m_value))
        return duration(*length, digits);
    if (const auto* value = std::get_if<float>(&m_value))
        return Cell(static_cast<double>(*value)).inWords(column, digits);
    if (const auto* value = std::get_if<double>(&m_value))
        return column.unit == "%" ? percent(*value, digits) : quantity(*value, column.unit, digits);
    return kMissing;
}

std::string Cell::inCsv() const {
    if (const auto* text = std::get_if<std::string>(&m_value))
        return csvCell(*text);
    // The quotient is the number closest to it, which is written with the digits that it has.
    if (const auto* length = std::get_if<DurationNs>(&m_value))
        return fmt::format("{}", static_cast<double>(length->ns) / 1e9);
    if (const auto* value = std::get_if<float>(&m_value))
        return fmt::format("{}", *value);
    const auto* value = std::get_if<double>(&m_value);
    return value != nullptr ? fmt::format("{}", *value) : std::string();
}

std::vector<std::vector<std::string>> Table::inWords(Digits digits) const {
    std::vector<std::vector<std::string>> texts;
    for (const auto& row : rows) {
        auto& cells = texts.emplace_back();
        for (std::size_t i = 0; i < columns.size(); ++i)
            cells.push_back(i < row.size() ? row[i].inWords(columns[i], digits) : std::string());
    }
    return texts;
}

void print(std::ostream& out, const Table& table, std::string_view indent, Digits digits) {
    if (compactRows(out) > 0)
        return printCompact(out, table);
    auto lines = table.inWords(digits);
    std::vector<std::string> titles;
    for (const auto& column : table.columns)
        titles.push_back(column.title);
    if (!std::ranges::all_of(titles, &std::string::empty))
        lines.insert(lines.begin(), std::move(titles));
    for (auto& line : lines) {
        for (std::string& cell : line)
            cell = harmlessLine(cell);
    }
    std::vector<std::size_t> widths(table.columns.size());
    for (const auto& line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i)
            widths[i] = std::max(widths[i], displayWidth(line[i]));
    }
    for (const auto& cells : lines) {
        std::string line(indent);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const std::string blanks(widths[i] - displayWidth(cells[i]), ' ');
            line += i == 0 ? "" : "  ";
            line += table.columns[i].align == Align::Left ? cells[i] + blanks : blanks + cells[i];
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out << line << '\n';
    }
}

std::string csvCell(std::string_view text) {
    const std::string safe = spreadsheetText(forFiles(std::string(text)));
    if (safe.find_first_of(",;\"\n\r\t") == std::string::npos)
        return safe;
    std::string cell = "\"";
    for (const char c : safe) {
        if (c == '"')
            cell += '"';
        cell += c;
    }
    return cell + "\"";
}

void addCsvLine(std::string& csv, const std::vector<Cell>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i)
        csv += (i == 0 ? "" : ",") + cells[i].inCsv();
    csv += '\n';
}

std::string csv(const Table& table) {
    std::vector<Cell> titles;
    for (std::size_t i = 0; i < table.columns.size(); ++i)
        titles.emplace_back(titleWithUnit(table, i));
    std::string text;
    addCsvLine(text, titles);
    for (const auto& row : table.rows)
        addCsvLine(text, row);
    return text;
}

std::size_t displayWidth(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), startsCharacter));
}

std::string elided(std::string_view text, std::size_t width) {
    if (displayWidth(text) <= width || width == 0)
        return std::string(text);
    return std::string(text.substr(0, placeOf(text, width - 1))) + "…";
}

std::string elidedInMiddle(std::string_view text, std::size_t width) {
    const std::size_t all = displayWidth(text);
    if (all <= width || width == 0)
        return std::string(text);
    const std::size_t head = (width - 1) / 2;
    return std::string(text.substr(0, placeOf(text, head))) + "…"
        + std::string(text.substr(placeOf(text, all - (width - 1 - head))));
}

std::vector<std::size_t> sortedRows(const Table& table, std::size_t column, bool isDescending) {
    std::vector<SortKey> keys;
    for (const auto& cells : table.rows)
        keys.push_back(column < cells.size() ? keyOf(cells[column]) : SortKey());
    std::vector<std::size_t> order(keys.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        if (keys[a].isMissing || keys[b].isMissing)
            return !keys[a].isMissing && keys[b].isMissing;
        return isDescending ? isBefore(keys[b], keys[a]) : isBefore(keys[a], keys[b]);
    });
    return order;
}

std::string spreadsheetText(std::string_view text) {
    std::string safe;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(';', at), text.size());
        if (mayBeFormula(text.substr(at, end - at)))
            safe += '\'';
        safe += text.substr(at, end + 1 - at);
        at = end + 1;
    }
    return safe;
}

std::string tsvCell(std::string_view text) {
    std::string cell = spreadsheetText(forFiles(std::string(text)));
    std::replace_if(
        cell.begin(), cell.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
    return cell;
}

} // namespace trainscope::text
