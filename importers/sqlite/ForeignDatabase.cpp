#include "importers/sqlite/ForeignDatabase.h"

#include "core/model/WholeNumber.h"
#include "core/store/database/Schema.h"
#include "importers/sqlite/DatabaseFile.h"

#include <sqlite3.h>

namespace trainscope::importers {

namespace {

constexpr int kStepsBetweenQuestions = 20'000; // steps of SQLite's machine, a few milliseconds
constexpr std::size_t kMostTables = 5'000;
// Most questions about a schema: reading it takes the square of the number of its entries, 8 steps
// each.
constexpr int kMostSchemaQuestions = 10;

// Reading tables is all that is allowed; a schema that calls for more is another program's code.
int allowReading(void* /*unused*/, int action, const char* /*a*/, const char* /*b*/,
    const char* /*c*/, const char* /*d*/) {
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
        return SQLITE_OK;
    default:
        return SQLITE_DENY;
    }
}

std::string asIdentifier(std::string_view name) {
    std::string text = "\"";
    for (const char c : name)
        text.append(c == '"' ? 2 : 1, c);
    return text + '"';
}

struct StatementEnd {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, StatementEnd>;

struct DatabaseEnd {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
};

} // namespace

struct ForeignDatabase::State {
    DatabaseFile file;
    std::unique_ptr<sqlite3, DatabaseEnd> handle;
    const Progress* progress = nullptr;
    std::string where;
    std::string phase;
    std::vector<ForeignTable> tables;
    mutable std::uint64_t read = 0;
    bool isCancelled = false;
    int schemaQuestions = 0;
    bool isListing = true; // the tables, for which the schema is read

    [[nodiscard]] bool hasTooMany() const {
        return isListing && schemaQuestions > kMostSchemaQuestions;
    }
    [[nodiscard]] Error tooMany() const {
        return {ErrorCode::Unreadable,
            "The SQLite database has tens of thousands of tables, which no profiler writes.",
            where};
    }
    [[nodiscard]] Result<Statement> prepare(const std::string& sql) const {
        sqlite3_stmt* statement = nullptr;
        const int code = sqlite3_prepare_v2(
            handle.get(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
        if (code != SQLITE_OK && hasTooMany())
            return tooMany();
        if (code != SQLITE_OK)
            return Error{ErrorCode::Unreadable,
                std::string("The SQLite database cannot be read (") + sqlite3_errmsg(handle.get())
                    + ").",
                where};
        return Statement(statement);
    }
    std::uint64_t bytesRead() const {
        int pages = 0;
        int highest = 0;
        sqlite3_db_status(handle.get(), SQLITE_DBSTATUS_CACHE_MISS, &pages, &highest, 0);
        read = static_cast<std::uint64_t>(std::max(pages, 0)) * file.pageSize();
        return std::min(read, file.size());
    }
    static int ask(void* self) {
        auto& state = *static_cast<State*>(self);
        if (state.isListing && ++state.schemaQuestions > kMostSchemaQuestions)
            return 1;
        const Progress& progress = *state.progress;
        if (progress && !progress({state.phase, state.bytesRead(), state.file.size()}))
            state.isCancelled = true;
        return state.isCancelled ? 1 : 0;
    }
};

bool ForeignRow::isNull(int column) const {
    return sqlite3_column_type(m_statement, column) == SQLITE_NULL;
}

std::optional<std::int64_t> ForeignRow::integer(int column) const {
    switch (sqlite3_column_type(m_statement, column)) {
    case SQLITE_INTEGER:
        return sqlite3_column_int64(m_statement, column);
    case SQLITE_TEXT:
        return wholeNumber<std::int64_t>(text(column));
    case SQLITE_FLOAT: {
        constexpr double kExact = 9'007'199'254'740'992.0;
        const double value = sqlite3_column_double(m_statement, column);
        return value >= -kExact && value <= kExact ? std::optional(static_cast<std::int64_t>(value))
                                                   : std::nullopt;
    }
    default:
        return std::nullopt;
    }
}

std::int64_t ForeignRow::integer(int column, std::int64_t other) const {
    return integer(column).value_or(other);
}

std::optional<double> ForeignRow::number(int column) const {
    const int type = sqlite3_column_type(m_statement, column);
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT)
        return std::nullopt;
    return sqlite3_column_double(m_statement, column);
}

std::string_view ForeignRow::text(int column) const {
    return sqlite3_column_type(m_statement, column) == SQLITE_TEXT ? bytes(column)
                                                                   : std::string_view();
}

std::string_view ForeignRow::bytes(int column) const {
    const int type = sqlite3_column_type(m_statement, column);
    const void* begin = type == SQLITE_TEXT ? sqlite3_column_text(m_statement, column)
        : type == SQLITE_BLOB               ? sqlite3_column_blob(m_statement, column)
                                            : nullptr;
    if (begin == nullptr)
        return {};
    return {static_cast<const char*>(begin),
        static_cast<std::size_t>(sqlite3_column_bytes(m_statement, column))};
}

ForeignDatabase::ForeignDatabase(std::unique_ptr<State> state)
    : m_state(std::move(state)) { }
ForeignDatabase::ForeignDatabase(ForeignDatabase&&) noexcept = default;
ForeignDatabase& ForeignDatabase::operator=(ForeignDatabase&&) noexcept = default;
ForeignDatabase::~ForeignDatabase() = default;

bool ForeignDatabase::isDatabase(std::string_view head) {
    return head.starts_with(std::string_view("SQLite format 3\0", 16));
}

Result<ForeignDatabase> ForeignDatabase::open(
    const SourceTree& tree, const std::string& path, const Progress& progress) {
    auto state = std::make_unique<State>();
    state->where = tree.displayPath(path);
    state->progress = &progress;
    state->phase = "Reading " + path.substr(path.rfind('/') + 1);
    ASSIGN_OR_RETURN(state->file, DatabaseFile::of(tree, path, progress));
    ASSIGN_OR_RETURN(sqlite3* const handle, state->file.open(state->where));
    state->handle.reset(handle);
    // A file that is cut short is else refused whole. Nothing can be written here.
    sqlite3_db_config(handle, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, nullptr);
    store::confine(handle, kLongestValue);
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(handle, SQLITE_LIMIT_WORKER_THREADS, 0);
    sqlite3_progress_handler(handle, kStepsBetweenQuestions, State::ask, state.get());
    ForeignDatabase database(std::move(state));
    RETURN_IF_ERROR(database.listTables());
    database.m_state->isListing = false;
    sqlite3_set_authorizer(handle, allowReading, nullptr);
    return database;
}

Error ForeignDatabase::failure(int code) const {
    if (m_state->isCancelled)
        return cancelled();
    const std::string detail = sqlite3_errmsg(m_state->handle.get());
    if (m_state->hasTooMany())
        return m_state->tooMany();
    const char* what = code == SQLITE_NOMEM
        ? "There is not enough memory to read the SQLite database ("
        : "The SQLite database is damaged (";
    return {ErrorCode::Unreadable, what + detail + ").", m_state->where};
}

Status ForeignDatabase::listTables() {
    // Virtual tables have no pages of their own.
    ASSIGN_OR_RETURN(const auto statement,
        m_state->prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0"));
    int code = SQLITE_ROW;
    std::vector<std::string> names;
    while ((code = sqlite3_step(statement.get())) == SQLITE_ROW && names.size() < kMostTables)
        names.emplace_back(ForeignRow(statement.get()).text(0));
    if (code != SQLITE_DONE && code != SQLITE_ROW)
        return failure(code);
    for (std::string& name : names) {
        ASSIGN_OR_RETURN(auto columns, columnsOf(name));
        m_state->tables.push_back({std::move(name), std::move(columns)});
    }
    return {};
}

Result<std::vector<std::string>> ForeignDatabase::columnsOf(const std::string& table) {
    // Without generated and hidden columns.
    ASSIGN_OR_RETURN(
        const auto statement, m_state->prepare("PRAGMA table_info(" + asIdentifier(table) + ")"));
    std::vector<std::string> columns;
    int code = SQLITE_ROW;
    while ((code = sqlite3_step(statement.get())) == SQLITE_ROW)
        columns.emplace_back(ForeignRow(statement.get()).text(1));
    if (code != SQLITE_DONE)
        return failure(code);
    return columns;
}

std::string_view withoutVersion(std::string_view table) {
    const std::size_t digits = table.find_last_not_of("0123456789") + 1;
    const std::string_view name = table.substr(0, digits);
    const bool isVersion = digits < table.size() && (name.ends_with("_V") || name.ends_with("_v"));
    return isVersion ? name.substr(0, name.size() - 2) : table;
}

const std::vector<ForeignTable>& ForeignDatabase::tables() const {
    return m_state->tables;
}

const ForeignTable* ForeignDatabase::table(std::string_view name) const {
    const ForeignTable* later = nullptr;
    for (const ForeignTable& one : m_state->tables) {
        if (equalsIgnoringCase(one.name, name))
            return &one;
        if (equalsIgnoringCase(withoutVersion(one.name), name))
            later = &one;
    }
    return later;
}

bool ForeignDatabase::hasColumn(std::string_view table, std::string_view column) const {
    const ForeignTable* found = this->table(table);
    return found != nullptr
        && std::any_of(found->columns.begin(), found->columns.end(),
            [&](const std::string& one) { return equalsIgnoringCase(one, column); });
}

std::uint64_t ForeignDatabase::bytesRead() const {
    return m_state->bytesRead();
}

std::uint64_t ForeignDatabase::bytesTotal() const {
    return m_state->file.size();
}

bool ForeignDatabase::isCutShort() const {
    return m_state->file.isCutShort();
}

std::string ForeignDatabase::selection(const ForeignTable& table, std::string_view columns) const {
    std::string sql;
    for (const std::string_view column : words(columns, ", ")) {
        sql += sql.empty() ? "SELECT " : ", ";
        sql += hasColumn(table.name, column) ? asIdentifier(column) : std::string("NULL");
    }
    return sql + " FROM " + asIdentifier(table.name);
}

Result<bool> ForeignDatabase::scanInto(ImportReport& report, const std::string& file,
    std::string_view table, std::string_view columns,
    const std::function<Status(const ForeignRow&)>& visit) {
    ASSIGN_OR_RETURN(const auto end, scan(table, columns, visit));
    report.rows += end.rows;
    if (this->table(table) != nullptr)
        report.counts["rows of " + std::string(table)] += end.rows;
    if (!end.problem.empty())
        report.lost(file, 0,
            std::string(table) + " could be read up to row " + std::to_string(end.rows) + ": "
                + end.problem);
    return !end.problem.empty();
}

Status ForeignDatabase::scanFacts(std::string_view table, std::string_view columns,
    const std::function<void(const ForeignRow&)>& visit, std::int64_t limit) {
    const auto end = scan(table, columns,
        [&visit](const ForeignRow& row) {
            visit(row);
            return Status();
        },
        {.limit = limit});
    return end.hasValue() ? Status() : end.error();
}

Result<ForeignDatabase::ScanEnd> ForeignDatabase::scan(std::string_view table,
    std::string_view columns, const std::function<Status(const ForeignRow&)>& visit,
    const Rows& rows) {
    ScanEnd end;
    const ForeignTable* found = this->table(table);
    if (found == nullptr || (!rows.column.empty() && !hasColumn(table, rows.column)))
        return end;
    std::string sql = selection(*found, columns);
    sql += rows.column.empty() ? std::string(" NOT INDEXED")
                               : " WHERE " + asIdentifier(rows.column) + " = ?";
    if (rows.limit >= 0)
        sql += " LIMIT " + std::to_string(rows.limit);
    const auto statement = m_state->prepare(sql);
    if (!statement.hasValue()) {
        end.problem = statement.error().message;
        return end;
    }
    if (!rows.column.empty())
        sqlite3_bind_text(statement.value().get(), 1, rows.text.data(),
            static_cast<int>(rows.text.size()), SQLITE_STATIC);
    constexpr std::uint64_t kShortestRow = 4; // bytes
    const auto mostRows = static_cast<std::int64_t>(m_state->file.size() / kShortestRow);
    while (true) {
        const int code = sqlite3_step(statement.value().get());
        if (code == SQLITE_DONE)
            return end;
        if (code != SQLITE_ROW) {
            const Error error = failure(code);
            if (error.code == ErrorCode::Cancelled)
                return error;
            end.problem = error.message;
            return end;
        }
        // Pages of a damaged file may lead back to themselves.
        if (++end.rows > mostRows) {
            end.problem = "The SQLite database is damaged (more rows than there is room for).";
            return end;
        }
        RETURN_IF_ERROR(visit(ForeignRow(statement.value().get())));
    }
}

struct ForeignLookup::Query {
    Statement statement;
};

ForeignLookup::ForeignLookup(ForeignDatabase& database, std::string_view table,
    std::string_view key, std::string_view columns)
    : m_query(std::make_unique<Query>()) {
    const ForeignTable* found = database.table(table);
    if (found == nullptr || !database.hasColumn(table, key))
        return;
    auto statement = database.m_state->prepare(
        database.selection(*found, columns) + " WHERE " + asIdentifier(key) + " = ?");
    if (statement.hasValue())
        m_query->statement = std::move(statement).value();
}

ForeignLookup::ForeignLookup(ForeignLookup&&) noexcept = default;
ForeignLookup& ForeignLookup::operator=(ForeignLookup&&) noexcept = default;
ForeignLookup::~ForeignLookup() = default;

std::optional<ForeignRow> ForeignLookup::find(std::int64_t key) {
    sqlite3_stmt* const statement = m_query->statement.get();
    if (statement == nullptr)
        return std::nullopt;
    sqlite3_reset(statement);
    sqlite3_bind_int64(statement, 1, key);
    if (sqlite3_step(statement) != SQLITE_ROW)
        return std::nullopt;
    return ForeignRow(statement);
}

} // namespace trainscope::importers
