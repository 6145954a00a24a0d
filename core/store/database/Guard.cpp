#include "core/store/database/Guard.h"

#include "core/model/AsciiText.h"
#include "core/model/HarmlessText.h"
#include "core/model/Try.h"
#include "core/store/database/OpenFiles.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <utility>

namespace trainscope::store {
namespace {

namespace fs = std::filesystem;

constexpr int kLongestValue = 256 << 20; // bytes; the longest we write has a few MiB

constexpr std::array<std::string_view, 32> kOwnTables{"meta", "run", "launch", "cluster", "gpu",
    "source", "source_run", "source_gpu", "series", "track", "iteration", "capture", "note",
    "summary", "summary_basis", "name", "source_name", "sample_data", "sample_chunk", "bucket_page",
    "span_chunk", "group_page", "track_name", "comparison", "run_layout", "run_tag", "run_note",
    "trace_sum", "trace_sum_basis", "run_link", "samples", "spans"};

bool isOwn(std::string_view name) {
    return std::any_of(kOwnTables.begin(), kOwnTables.end(),
        [name](std::string_view own) { return equalsIgnoringCase(own, name); });
}

Error refused(const std::string& path, const std::string& what) {
    return {ErrorCode::Refused, what + ", which no Trainscope makes; it was left untouched.", path};
}

// Ours are numbers and short words, and computed nowhere.
constexpr std::string_view kColumnsThatFillThemselves
    = "SELECT count(*) FROM pragma_table_xinfo(?) WHERE hidden IN (2, 3) OR "
      "length(dflt_value) > 32 OR instr(dflt_value, '(') > 0";

// A file of a few KiB could have gigabytes in such columns.
Status guardColumns(Database& database) {
    for (const std::string_view table : kOwnTables) {
        ASSIGN_OR_RETURN(const auto found, database.number(kColumnsThatFillThemselves, table));
        if (found > 0)
            return refused(database.shownPath(),
                "In this database the table \"" + std::string(table)
                    + "\" has columns that fill themselves");
    }
    return {};
}

// The record at the end of a journal that belongs to a transaction over several files (section 3.2
// of SQLite's file format): the length of the name, a sum, and the magic of journals.
bool namesAnotherFile(const fs::path& journal) {
    constexpr std::string_view magic("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8);
    constexpr std::size_t kTail = 16;
    std::ifstream file(journal, std::ios::binary | std::ios::ate);
    std::array<char, kTail> tail{};
    if (!file || file.tellg() < static_cast<std::streamoff>(kTail)
        || !file.seekg(-static_cast<std::streamoff>(kTail), std::ios::end)
        || !file.read(tail.data(), kTail))
        return false;
    return std::string_view(tail.data() + 8, 8) == magic;
}

} // namespace

std::span<const std::string_view> ownTables() {
    return kOwnTables;
}

void confine(sqlite3* handle) {
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    // Takes an address to jump to; some distributions leave it on.
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, nullptr);
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kLongestValue);
    // Looks at each cell of a page before it believes the page.
    sqlite3_exec(handle, "PRAGMA cell_size_check=ON", nullptr, nullptr, nullptr);
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
                if (foreign.empty() && isOwn(row.text(0)))
                    foreign = row.string(0);
            });
        if (read.hasValue() && foreign.empty())
            read = guardColumns(database);
    }
    if (!read.hasValue() && read.error().code == ErrorCode::Cancelled)
        return refused(database.shownPath(), "This database has thousands of tables");
    RETURN_IF_ERROR(std::move(read));
    if (!foreign.empty())
        return refused(database.shownPath(),
            "In this database a view or a virtual table stands in the place of the table \""
                + foreign + "\"");
    return {};
}

Status guardSideFiles(const fs::path& path) {
    for (const char* suffix : kSideFiles) {
        const fs::path side = path.string() + suffix;
        struct stat info { };
        if (::lstat(side.c_str(), &info) != 0)
            continue;
        if (!S_ISREG(info.st_mode))
            return refused(side.string(), "Beside the database lies what is no plain file");
    }
    const fs::path journal = path.string() + "-journal";
    if (namesAnotherFile(journal))
        return refused(journal.string(),
            "The journal beside the database names another file, which undoing it would delete");
    return {};
}

} // namespace trainscope::store
