#pragma once
// An SQLite database that another program wrote, read and never changed: no locks, no side files,
// no journal played back. Tables alone are asked, in the order of their rows; views, triggers,
// virtual tables and generated columns of the file are never run. If a table is damaged, the
// rows before are delivered. One thread at a time.

#include "importers/common/Source.h"

struct sqlite3;
struct sqlite3_stmt;

namespace trainscope::importers {

// Columns of the row at hand, by their place among those asked for; views are valid until the next
// row. A value of another type than the one asked for is absent.
class ForeignRow {
public:
    explicit ForeignRow(sqlite3_stmt* statement)
        : m_statement(statement) { }
    [[nodiscard]] bool isNull(int column) const;
    [[nodiscard]] std::optional<std::int64_t> integer(int column) const; // texts of digits too
    [[nodiscard]] std::int64_t integer(int column, std::int64_t other) const;
    [[nodiscard]] std::optional<double> number(int column) const;
    [[nodiscard]] std::string_view text(int column) const; // empty: none
    [[nodiscard]] std::string_view bytes(int column) const; // a text's or a blob's

private:
    sqlite3_stmt* m_statement;
};

struct ForeignTable {
    std::string name;
    std::vector<std::string> columns;
};

class ForeignDatabase {
public:
    // Longer texts and blobs end the reading of their table.
    static constexpr int kLongestValue = 16 << 20;

    static bool isDatabase(std::string_view head);
    // Opened where it lies; a compressed file, or one of a tree that is not on disk, is unpacked
    // into an unnamed file. Asks `progress`, which must outlive
    // the database, now and then.
    static Result<ForeignDatabase> open(
        const SourceTree& tree, const std::string& path, const Progress& progress);

    ForeignDatabase(ForeignDatabase&&) noexcept;
    ForeignDatabase& operator=(ForeignDatabase&&) noexcept;
    ~ForeignDatabase();

    [[nodiscard]] const std::vector<ForeignTable>& tables() const;
    // Letter case ignored; a later schema's "NVTX_EVENTS_V3" is found as "NVTX_EVENTS" where that
    // is not there. nullptr: there is none.
    [[nodiscard]] const ForeignTable* table(std::string_view name) const;
    [[nodiscard]] bool hasColumn(std::string_view table, std::string_view column) const;

    // Progress over the file's bytes, by the pages read so far.
    [[nodiscard]] std::uint64_t bytesRead() const;
    [[nodiscard]] std::uint64_t bytesTotal() const;
    // The file ends before its last page.
    [[nodiscard]] bool isCutShort() const;

    struct ScanEnd {
        std::int64_t rows = 0;
        std::string problem; // the reason of an early end; empty: none
    };
    struct Rows {
        std::int64_t limit = -1; // below 0: none
        std::string_view column = {}; // for the rows whose column has this text; empty: all
        std::string_view text = {};
    };
    // Visits rows of a table, its columns as in "id, name"; those that it lacks are NULL, a table
    // that is not there has no rows. The visitor's failure ends it; so does a no of the progress,
    // as ErrorCode::Cancelled. An index of the file serves for the rows of one text alone: a
    // damaged one can hide rows.
    Result<ScanEnd> scan(std::string_view table, std::string_view columns,
        const std::function<Status(const ForeignRow&)>& visit, const Rows& rows);
    Result<ScanEnd> scan(std::string_view table, std::string_view columns,
        const std::function<Status(const ForeignRow&)>& visit) {
        return scan(table, columns, visit, Rows());
    }
    // The same, counted in the report, which is told of a table that breaks off too: true where it
    // does.
    Result<bool> scanInto(ImportReport& report, const std::string& file, std::string_view table,
        std::string_view columns, const std::function<Status(const ForeignRow&)>& visit);
    // The first rows, of tables that are small.
    Status scanFacts(std::string_view table, std::string_view columns,
        const std::function<void(const ForeignRow&)>& visit, std::int64_t limit = 1'000'000);

private:
    friend class ForeignLookup;
    struct State;
    explicit ForeignDatabase(std::unique_ptr<State> state);
    Status listTables();
    [[nodiscard]] std::string selection(const ForeignTable& table, std::string_view columns) const;
    Result<std::vector<std::string>> columnsOf(const std::string& table);
    [[nodiscard]] Error failure(int code) const;

    std::unique_ptr<State> m_state;
};

// "NVTX_EVENTS_V3" → "NVTX_EVENTS"; other names as they are.
std::string_view withoutVersion(std::string_view table);

// Rows of a table by their numbers, one at a time. The database must outlive it.
class ForeignLookup {
public:
    // Columns that the table lacks are NULL; without the table or the key nothing is found.
    ForeignLookup(ForeignDatabase& database, std::string_view table, std::string_view key,
        std::string_view columns);
    ForeignLookup(ForeignLookup&&) noexcept;
    ForeignLookup& operator=(ForeignLookup&&) noexcept;
    ~ForeignLookup();

    // Valid until the next call.
    std::optional<ForeignRow> find(std::int64_t key);

private:
    struct Query;
    std::unique_ptr<Query> m_query;
};

} // namespace trainscope::importers
