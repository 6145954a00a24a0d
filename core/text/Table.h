#pragma once
// Table: columns with titles and rows of cells, made once for a subject and shown by the command
// line, the report, the boards and as CSV. Cells hold values; their words follow from the column's
// unit and from the digits that the medium asks for.

#include "core/text/Times.h"

#include <concepts>
#include <iosfwd>
#include <variant>

namespace trainscope::text {

enum class Align { Left, Right };

struct Column {
    std::string title;
    Align align = Align::Right;
    std::string unit = {}; // SI unit of the numbers below; "%" for fractions, "1" for plain numbers
};

inline Column inUnit(std::string title, std::string unit) {
    return {std::move(title), Align::Right, std::move(unit)};
}

// Missing, a text, a number in the column's unit, or a length of time. Whole numbers are texts.
class Cell {
public:
    Cell() = default;
    Cell(std::string text)
        : m_value(std::move(text)) { }
    Cell(std::string_view text)
        : m_value(std::string(text)) { }
    Cell(const char* text)
        : m_value(std::string(text)) { }
    Cell(std::integral auto count)
        : m_value(std::to_string(count)) { }
    Cell(double value)
        : m_value(value) { }
    Cell(float value); // NaN is missing
    Cell(DurationNs duration)
        : m_value(duration) { }
    template <typename T>
    Cell(const std::optional<T>& value) {
        if (value)
            *this = Cell(*value);
    }

    [[nodiscard]] bool isMissing() const { return m_value.index() == 0; }
    [[nodiscard]] bool isDuration() const { return std::holds_alternative<DurationNs>(m_value); }
    [[nodiscard]] std::string inWords(const Column& column, Digits digits) const;
    [[nodiscard]] std::string inCsv() const; // the plain number; s for lengths of time

private:
    std::variant<std::monostate, std::string, double, DurationNs, float> m_value;
};

struct Table {
    std::string title = {};
    std::vector<Column> columns = {};
    std::vector<std::vector<Cell>> rows = {};
    std::vector<std::string> notes = {}; // below it

    void add(std::vector<Cell> cells) { rows.push_back(std::move(cells)); }
    [[nodiscard]] bool isEmpty() const { return rows.empty(); }
    // The cells as people read them; rows are as long as there are columns.
    [[nodiscard]] std::vector<std::vector<std::string>> inWords(Digits digits = Digits::Four) const;
};

// Titles, where there are some, and rows as aligned columns; widths count characters, not bytes.
// Without title and notes.
void print(std::ostream& out, const Table& table, std::string_view indent = "",
    Digits digits = Digits::Aligned);

// A cell of CSV (RFC 4180): quoted where it holds a comma, a quote or a line end.
std::string csvCell(std::string_view text);
// Appends a line of CSV; for tables that are too long to be held.
void addCsvLine(std::string& csv, const std::vector<Cell>& cells);
// Titles with their units, s of lengths of time, then the rows in SI; missing cells are empty.
std::string csv(const Table& table);

// Characters of an UTF-8 text.
std::size_t displayWidth(std::string_view text);
// At most `width` characters, with an ellipsis where something was cut.
std::string elided(std::string_view text, std::size_t width);
// The same for names, which differ at their ends: what is cut is cut from the middle.
std::string elidedInMiddle(std::string_view text, std::size_t width);

// The order of the rows by one of the columns.
// The rows' places: numbers and lengths of time by their value, before texts, which go in their
// natural order, whatever their case: rank 2 before rank 10; cells without a value come last either
// way. Equal ones stay as they were.
std::vector<std::size_t> sortedRows(const Table& table, std::size_t column, bool isDescending);

// Texts that spreadsheets do not compute.

// A text of a cell with an apostrophe before what spreadsheets would compute ("=1+1", "@name"), by
// which they take it for text: at its beginning, and behind a semicolon, where many of them begin
// another cell, quoted or not. Quantities ("-5", "-1.2 kW") and all others as they are. csvCell()
// in Table.h does it for every text in every CSV.
std::string spreadsheetText(std::string_view text);

// A cell of a tab-separated table: the same, with blanks for tabs and line ends.
std::string tsvCell(std::string_view text);

// Tables for a program: tabs between cells, units in the titles, numbers in SI with five digits. It
// is a property of the stream that they are printed on.

// From now on, with at most so many rows of each table; 0, as it is at first: for people.
void setCompact(std::ostream& out, long mostRows);
long compactRows(std::ostream& out);

} // namespace trainscope::text
