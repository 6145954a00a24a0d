#pragma once
// SQL over a run database, read-only: the tables of the file, `samples`, `sample_statistics` and
// `spans` (sql/SqlTables.h says their columns), and columns of `spans` that are computed above the
// store.

#include "core/store/Store.h"

struct sqlite3;

namespace trainscope::store {

// NULL, a whole number, a number, or a text that is valid until the next question.
using SqlCell = std::variant<std::monostate, std::int64_t, double, std::string_view>;

// A column of `spans` whose values follow from analyses. It is asked only where a query uses it, by
// the thread of the query, track by track and within a track in order of start.
struct SpanColumn {
    enum class Type { Text, Integer, Real } type = Type::Text;
    std::string name;
    std::string help; // its meaning, for people
    std::function<Result<SqlCell>(const Track& track, const Span& span)> value;
};

struct QueryOptions {
    std::vector<SpanColumn> spanColumns;
    // Asked every few milliseconds; false ends the query with ErrorCode::Cancelled. Must not use
    // the store. Empty: nothing stops it but its visitor.
    std::function<bool()> proceed;
};

// Several statements may follow each other, separated by semicolons. `header` gets the column names
// once for each, `row` each row; false stops. Errors of the SQL are Usage, in SQLite's words;
// `where` is their place, "line 2, column 8".
Status query(const Store& store, std::string_view sql, const SqlHeader& header, const SqlRow& row,
    const QueryOptions& options);

// A table that a query can ask.
struct SqlTable {
    struct Column {
        std::string name;
        std::string type; // "INTEGER"
        std::string help; // may be empty
    };
    std::string name;
    std::string help; // one row in words; empty: of use to the store alone
    std::vector<Column> columns;
    bool isVirtual = false;
};
// The virtual ones first, then the tables of the file.
Result<std::vector<SqlTable>> sqlTables(const Store& store, const QueryOptions& options);

// `samples` and `spans` on the SQLite connection of another program, such as Python's, that has a
// run database open: what the loadable extension is made of.

// The columns of `spans` that are computed above the store; what they refer to lives as long as
// the store does.
using SpanColumnsOf = std::function<std::vector<SpanColumn>(const Store& store)>;

// Rows are read by a connection of their own, so that they are those of the last commit. Refused
// where the host has opened no file, or one that is no run database of this version. One thread,
// the host's; the tables live as long as its connection.
Status addTablesTo(sqlite3* host, const SpanColumnsOf& spanColumns);

} // namespace trainscope::store
