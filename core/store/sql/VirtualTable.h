#pragma once
// The part that read-only virtual tables of SQLite share: which constraints are handed down,
// errors, and no exception across the C interface. A table is a schema, the columns that it can
// narrow by, and a RowSource.

#include "core/store/database/Database.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

struct sqlite3_context;
struct sqlite3_value;

namespace trainscope::store {

enum class Comparison { Equal, Greater, GreaterOrEqual, Less, LessOrEqual };

// `column op value`, as the query states it. SQLite checks every row again, so a source may ignore
// any of them.
struct Constraint {
    int column = 0;
    Comparison op = Comparison::Equal;
    sqlite3_value* value = nullptr;

    [[nodiscard]] bool isInteger() const;
    [[nodiscard]] bool isText() const;
    [[nodiscard]] std::int64_t integer() const;
    [[nodiscard]] std::string text() const;
};

// True unless an equality on that column says otherwise.
bool admits(const std::vector<Constraint>& constraints, int column, std::int64_t value);
bool admits(const std::vector<Constraint>& constraints, int column, std::string_view value);
// The half-open range that the constraints on an integer column leave.
struct IntegerRange {
    std::int64_t begin;
    std::int64_t end;
};
IntegerRange rangeOf(const std::vector<Constraint>& constraints, int column);

// One pass over the rows.
class RowSource {
public:
    RowSource() = default;
    RowSource(const RowSource&) = delete;
    RowSource& operator=(const RowSource&) = delete;
    virtual ~RowSource() = default;

    // Goes to the first row. The constraints are valid during the call only.
    virtual Status start(const std::vector<Constraint>& constraints) = 0;
    virtual Status next() = 0;
    [[nodiscard]] virtual bool atEnd() const = 0;
    virtual Status column(int index, sqlite3_context* into) = 0;
};

struct TableDefinition {
    std::string name;
    std::string schema; // CREATE TABLE x(...)
    std::vector<int> equalColumns; // narrowed by =
    std::vector<int> rangeColumns; // narrowed by = < <= > >=
    std::function<std::unique_ptr<RowSource>(Database&)> open;
};

// Makes the table known to the connection, which must outlive its use. Available at once under its
// name.
Status addVirtualTable(Database& database, TableDefinition definition);

// For RowSource::column().
Status putText(sqlite3_context* into, std::string_view text);
Status putReal(sqlite3_context* into, double value); // NULL for NaN
Status putInteger(sqlite3_context* into, std::int64_t value);

// samples(run, metric, rank, node, device, time_ns, value, series): one row per sample, value in
// SI, NULL where missing. Narrowed by =, and by ranges of time_ns.
TableDefinition sampleTable();
// spans(run, rank, device, track, name, kind, start_ns, duration_ns, depth, correlation, detail,
// track_id): one row per span. Narrowed by = on run, rank, device, track, track_id and name, and by
// ranges of start_ns.
TableDefinition spanTable();

} // namespace trainscope::store
