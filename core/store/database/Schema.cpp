#include "core/store/database/Schema.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>

namespace trainscope::store {
namespace {

constexpr int kOldest = 9; // its files are the first with checksums of their pages
constexpr std::array<std::string_view, 33> kOwnTables{"meta", "run", "launch", "cluster", "gpu",
    "source", "source_run", "source_gpu", "series", "track", "iteration", "capture", "note",
    "summary", "summary_basis", "name", "source_name", "sample_data", "sample_chunk", "bucket_page",
    "span_chunk", "group_page", "track_name", "comparison", "run_layout", "run_tag", "run_note",
    "trace_sum", "trace_sum_basis", "run_link", "samples", "spans", "sample_statistics"};

bool isOwnTable(std::string_view name) {
    return std::any_of(kOwnTables.begin(), kOwnTables.end(),
        [name](std::string_view own) { return equalsIgnoringCase(own, name); });
}

Error forged(const Database& database, const std::string& what) {
    return {ErrorCode::Refused, what + ", which no Trainscope makes; it was left untouched.",
        database.shownPath()};
}

// Ours are numbers and short words, and computed nowhere.
constexpr std::string_view kColumnsThatFillThemselves
    = "SELECT count(*) FROM pragma_table_xinfo(?) WHERE hidden IN (2, 3) OR "
      "length(dflt_value) > 32 OR instr(dflt_value, '(') > 0";

Status guardColumns(Database& database) {
    for (const std::string_view table : kOwnTables) {
        ASSIGN_OR_RETURN(const auto found, database.number(kColumnsThatFillThemselves, table));
        if (found > 0)
            return forged(database,
                "In this database the table \"" + std::string(table)
                    + "\" has columns that fill themselves");
    }
    return {};
}

} // namespace

std::span<const std::string_view> ownTables() {
    return kOwnTables;
}

void confine(sqlite3* connection, int longestValue) {
    sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    // Takes an address to jump to; some distributions leave it on.
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, nullptr);
    sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, longestValue);
}

int schemaVersion() {
    return static_cast<int>(migrations().size());
}

int oldestSchemaVersion() {
    return kOldest;
}

Result<int> userVersion(Database& database) {
    ASSIGN_OR_RETURN(const auto version, database.number("PRAGMA user_version"));
    return static_cast<int>(version);
}

Status guardSchema(Database& database) {
    std::string foreign;
    int questions = 0;
    Status read;
    {
        const Watch watch(database, [&questions] { return ++questions < kMostSchemaQuestions; });
        read = database.forEach(
            "SELECT name, type FROM sqlite_schema WHERE type = 'view' OR (type = 'table' AND "
            "rootpage = 0)",
            [&foreign](const Row& row) {
                if (foreign.empty() && isOwnTable(row.text(0)))
                    foreign = row.string(0);
            });
        if (read.hasValue() && foreign.empty())
            read = guardColumns(database);
    }
    if (!read.hasValue() && read.error().code == ErrorCode::Cancelled)
        return forged(database, "This database has thousands of tables");
    RETURN_IF_ERROR(std::move(read));
    if (!foreign.empty())
        return forged(database,
            "In this database a view or a virtual table stands in the place of the table \""
                + foreign + "\"");
    return {};
}

Error tooOldVersion(const std::string& path) {
    return {ErrorCode::Refused,
        "This database was written by a Trainscope from before the first release, in a format that "
        "is no longer read; it was left untouched. Import its sources into a new one.",
        path};
}

Error newerVersion(const std::string& path, int found, int known) {
    return {ErrorCode::Refused,
        "This database was written by a newer Trainscope (format " + std::to_string(found)
            + ", this program knows up to " + std::to_string(known)
            + "). Update Trainscope to open it.",
        path};
}

Status applySteps(Database& database, Migrations steps) {
    // Read again inside the transaction: another program may have been first.
    ASSIGN_OR_RETURN(const auto version, userVersion(database));
    for (auto i = static_cast<std::size_t>(version); i < steps.size(); ++i)
        RETURN_IF_ERROR(database.script(std::string(steps[i])));
    return database.script("PRAGMA user_version = " + std::to_string(steps.size()));
}

Status migrate(Database& database, Migrations steps) {
    ASSIGN_OR_RETURN(const auto version, userVersion(database));
    const int known = static_cast<int>(steps.size());
    if (version == known)
        return {};
    if (version > known || version < 0)
        return newerVersion(database.shownPath(), version, known);
    return database.transaction([&] { return applySteps(database, steps); });
}

} // namespace trainscope::store
