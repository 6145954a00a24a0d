#pragma once
// Rows: what text and JSON both tell of a thing, once. A quantity is {key, title and unit, value}:
// a member of the thing's JSON object, and the cell below that title of its row in a table.

#include "app/cli/text/Json.h"
#include "core/text/Table.h"

namespace trainscope::cli {

using text::inUnit;
using enum text::Align;

// Enumerations by their names.
template <typename T>
text::Cell cellOf(const T& value) {
    if constexpr (std::is_enum_v<T>)
        return toString(value);
    else
        return value;
}

// An unknown value is no member of the object, and the sign for missing in the table.
struct Quantity {
    // In JSON alone.
    template <typename T>
    Quantity(std::string_view name, const T& value)
        : member(std::string(name), value) { }
    // In both; with an empty key in the text alone.
    template <typename T>
    Quantity(std::string_view name, text::Column title, const T& value)
        : Quantity(name, value, std::move(title), cellOf(value)) { }
    // In both, and the text words it.
    template <typename T>
    Quantity(std::string_view name, const T& value, text::Column title, text::Cell words)
        : member(std::string(name), value)
        , column(std::move(title))
        , cell(std::move(words)) { }

    Member member;
    std::optional<text::Column> column; // absent: in JSON alone
    text::Cell cell = {};
};
using Row = std::vector<Quantity>;

inline Row joined(Row row, Row more) {
    std::ranges::move(more, std::back_inserter(row));
    return row;
}
inline void add(Json& object, const Row& row) {
    for (const Quantity& one : row) {
        if (!one.member.key.empty())
            add(object, {one.member});
    }
}
inline Json rowJson(const Row& row) {
    Json json = Json::object();
    add(json, row);
    return json;
}
// Row of the i-th thing; things that have their number from their place are rowOf(thing, i).
template <typename RowOf, typename Thing>
Row rowAt(const RowOf& rowOf, const Thing& thing, std::size_t i) {
    if constexpr (std::is_invocable_v<const RowOf&, const Thing&, std::size_t>)
        return rowOf(thing, i);
    else
        return rowOf(thing);
}
template <typename List, typename RowOf>
Json rowsJson(const List& list, const RowOf& rowOf) {
    return listOf(list, [&, i = std::size_t{0}](const auto& one) mutable {
        return rowJson(rowAt(rowOf, one, i++));
    });
}

inline std::vector<text::Column> columnsOf(const Row& row) {
    std::vector<text::Column> columns;
    for (const Quantity& one : row) {
        if (one.column)
            columns.push_back(*one.column);
    }
    return columns;
}
// The first row says the columns, unless they are there.
inline void addRow(text::Table& table, const Row& row) {
    if (table.columns.empty())
        table.columns = columnsOf(row);
    auto& cells = table.rows.emplace_back();
    for (const Quantity& one : row) {
        if (one.column)
            cells.push_back(one.cell);
    }
}
// A table of which the first rows are shown; a line below it counts the `others` that are left.
struct Excerpt : text::Table {
    Excerpt(text::Table all = {})
        : Table(std::move(all)) { }
    std::size_t most = std::numeric_limits<std::size_t>::max();
    std::string_view others = "more row"; // a literal
    std::size_t notHeld = 0; // more of them
};
inline Excerpt firstOf(Excerpt table, std::size_t most, std::string_view others) {
    table.most = most;
    table.others = others;
    return table;
}
// A row of each, as many as anybody asks for; the first are shown.
inline constexpr std::size_t kMostRowsAsked = 1000;
template <typename List, typename RowOf>
Excerpt tableOf(const List& list, const RowOf& rowOf,
    std::size_t most = std::numeric_limits<std::size_t>::max(),
    std::string_view others = "more row") {
    Excerpt table;
    std::size_t i = 0;
    for (const auto& one : list) {
        if (i++ < std::max(most, kMostRowsAsked))
            addRow(table, rowAt(rowOf, one, i - 1));
        else
            ++table.notHeld;
    }
    return firstOf(std::move(table), most, others);
}

inline Excerpt titled(std::string title, Excerpt table) {
    table.title = std::move(title);
    return table;
}

// Its title where it has one, its rows a little further in, and its notes; nothing of an empty one.
// For a program as many rows as the stream says.
inline void printTable(std::ostream& out, Excerpt table, std::string_view indent = "  ") {
    if (table.isEmpty())
        return;
    const bool isCompact = text::compactRows(out) > 0;
    const std::size_t shown = std::min(table.rows.size(),
        isCompact ? static_cast<std::size_t>(text::compactRows(out)) : table.most);
    if (const std::size_t left = table.rows.size() - shown + table.notHeld; left > 0)
        table.notes.push_back("... and "
            + text::counted(static_cast<std::int64_t>(left), table.others)
            + (isCompact ? "; a larger `rows` shows more" : "; --json lists all"));
    table.rows.resize(shown);
    if (!table.title.empty())
        out << table.title << '\n';
    text::print(out, table, indent);
    for (const auto& note : table.notes)
        out << (isCompact ? "" : indent) << note << '\n';
}
// A line of each quantity that the text tells: its title, and behind the widest one its value.
inline void printLines(std::ostream& out, const Row& row, std::string_view indent = "  ") {
    text::Table lines{.columns = {{"", Left}, {"", Left}}};
    for (const Quantity& one : row) {
        if (one.column)
            lines.add({one.column->title, one.cell.inWords(*one.column, text::Digits::Aligned)});
    }
    text::print(out, lines, indent);
}
// Behind an empty line.
inline void printBelow(std::ostream& out, Excerpt table, std::string_view indent = "  ") {
    if (!table.isEmpty())
        out << '\n';
    printTable(out, std::move(table), indent);
}

} // namespace trainscope::cli
