
#include "core/model/InteractiveThread.h"
#include "core/store/Connection.h"
#include "core/store/database/OpenFile.h"
#include "core/store/sql/SqlTables.h"

#include <fmt/format.h>
#include <sqlite3.h>

namespace trainscope::store {

namespace {

int allowReading(
    void*, int action, const char* first, const char* second, const char*, const char*) {
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_FUNCTION:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_PRAGMA: {
        const std::string_view name = first == nullptr ? "" : first;
        const bool describes = name == "table_info" || name == "table_xinfo" || name == "table_list"
            || name == "index_list" || name == "index_info" || name == "function_list";
        const bool plain = second == nullptr
            && (name == "user_version" || name == "application_id" || name == "page_size"
                || name == "page_count" || name == "journal_mode" || name == "encoding");
        const bool checks = name == "integrity_check" || name == "quick_check";
        return describes || plain || checks ? SQLITE_OK : SQLITE_DENY;
    }
    default:
        return SQLITE_DENY;
    }
}

SqlValue valueOf(sqlite3_stmt* statement, int column) {
    SqlValue value;
    const Row row(statement);
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        value.type = SqlValue::Type::Integer;
        value.integer = row.integer(column);
        break;
    case SQLITE_FLOAT:
        value.type = SqlValue::Type::Real;
        value.real = row.real(column);
        break;
    case SQLITE_TEXT:
        value.type = SqlValue::Type::Text;
        value.text = row.text(column); // as it is: data
        break;
    case SQLITE_BLOB: {
        value.type = SqlValue::Type::Blob;
        const ByteView bytes = row.blob(column);
        value.text.assign(bytes.begin(), bytes.end());
        break;
    }
    default:
        break;
    }
    return value;
}

// "line 2, column 8" of a byte of the text; columns count characters.
std::string placeIn(std::string_view text, std::size_t at) {
    const std::string_view before = text.substr(0, at);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t lineBegin = before.rfind('\n') + 1; // 0 where there is none
    const auto column = std::count_if(
        before.begin() + static_cast<std::ptrdiff_t>(lineBegin), before.end(), startsCharacter);
    return fmt::format("line {}, column {}", line, column + 1);
}

// A connection with its virtual tables; does not move, since these know where it is.
struct SqlConnection {
    SqlPass pass;
    Database database;

    static Result<std::unique_ptr<SqlConnection>> open(
        const std::filesystem::path& path, const QueryOptions& options) {
        ASSIGN_OR_RETURN(auto opened, openReader(StoreFile(path)));
        auto made = std::make_unique<SqlConnection>(
            SqlConnection{{options.proceed, {}}, std::move(opened)});
        Database& database = made->database;
        for (TableDefinition table : {sampleTable(made->pass),
                 spanTable(made->pass, options.spanColumns), statisticsTable(made->pass)})
            RETURN_IF_ERROR(addVirtualTable(database.handle(), database, std::move(table)));
        // Declaring the tables counts as CREATE TABLE for the authorizer, so it happens before it
        // is there. Large sorts belong on the disk.
        RETURN_IF_ERROR(database.script("PRAGMA temp_store=FILE; PRAGMA query_only=ON;"));
        RETURN_IF_ERROR(database.execute("SELECT 1 FROM samples, spans, sample_statistics, "
                                         "pragma_table_info('run'), pragma_table_list LIMIT 0"));
        sqlite3_set_authorizer(database.handle(), allowReading, nullptr);
        return made;
    }
};

class Querying {
public:
    Querying(const std::filesystem::path& path, std::string_view sql, const QueryOptions& options)
        : m_path(path)
        , m_sql(sql)
        , m_options(options) { }

    Status run(const SqlHeader& header, const SqlRow& row) {
        ASSIGN_OR_RETURN(m_connection, SqlConnection::open(m_path, m_options));
        const Watch watch(m_connection->database, m_options.proceed);
        const char* rest = m_sql.c_str();
        while (*rest != '\0') {
            const char* begin = rest;
            ASSIGN_OR_RETURN(const auto statement, prepare(begin, rest));
            if (statement == nullptr)
                continue;
            ASSIGN_OR_RETURN(const auto more, step(statement.get(), header, row));
            if (!more)
                return {};
        }
        return {};
    }

private:
    // nullptr for a comment or nothing; `rest` is moved behind the statement.
    Result<StatementHandle> prepare(const char* begin, const char*& rest) {
        const Database& database = m_connection->database;
        sqlite3_stmt* raw = nullptr;
        const int code = sqlite3_prepare_v2(database.handle(), begin, -1, &raw, &rest);
        if (code == SQLITE_OK)
            return StatementHandle(raw);
        Error error = failure(code);
        const int at = sqlite3_error_offset(database.handle());
        if (error.code == ErrorCode::Usage && at >= 0)
            error.where = placeIn(m_sql, static_cast<std::size_t>(begin - m_sql.c_str() + at));
        return error;
    }

    [[nodiscard]] Error failure(int code) const {
        const Database& database = m_connection->database;
        if (m_options.proceed && !m_options.proceed())
            return cancelled();
        if (code == SQLITE_CORRUPT_VTAB)
            return {ErrorCode::Unreadable, sqlite3_errmsg(database.handle()), {}};
        switch (code & 0xFF) {
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
        case SQLITE_IOERR:
        case SQLITE_INTERRUPT:
            return database.error(code);
        default:
            break;
        }
        std::string message = sqlite3_errmsg(database.handle());
        if ((code & 0xFF) == SQLITE_AUTH || (code & 0xFF) == SQLITE_READONLY)
            message += "; queries may only read";
        if (message.starts_with("access to view "))
            message += "; views that are kept in a file are not run, write out what they select";
        return {ErrorCode::Usage, "SQL: " + message + ".", {}};
    }

    // false: the visitor wants no more.
    Result<bool> step(sqlite3_stmt* statement, const SqlHeader& header, const SqlRow& row) const {
        assertMayBlock("runs a statement of a database");
        const int columns = sqlite3_column_count(statement);
        if (columns > 0 && header) {
            std::vector<std::string> names;
            for (int i = 0; i < columns; ++i) {
                const char* name = sqlite3_column_name(statement, i);
                names.emplace_back(name == nullptr ? "" : name);
            }
            header(names);
        }
        std::vector<SqlValue> values(static_cast<std::size_t>(columns));
        while (true) {
            const int code = sqlite3_step(statement);
            if (code == SQLITE_DONE)
                return true;
            if (code != SQLITE_ROW)
                return failure(code);
            for (int i = 0; i < columns; ++i)
                values[static_cast<std::size_t>(i)] = valueOf(statement, i);
            if (row && !row(values))
                return false;
        }
    }

    const std::filesystem::path& m_path;
    std::string m_sql;
    const QueryOptions& m_options;
    std::unique_ptr<SqlConnection> m_connection;
};

SqlTable describe(const TableDefinition& definition) {
    SqlTable table{definition.name, definition.help, {}, true};
    for (const VirtualColumn& column : definition.columns)
        table.columns.push_back({column.name, std::string(toString(column.type)), column.help});
    return table;
}

// The tables of the file that people ask.
constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kTableHelp{{
    {"run", "One row per run"},
    {"launch", "Model, batch and parallel layout as launched"},
    {"cluster", "GPU model, nodes and GPUs per node of a run"},
    {"gpu", "One row per GPU of a run"},
    {"source", "Imported files and folders"},
    {"source_run", "Which source brought which run"},
    {"series", "One row per metric of a GPU, node or link, with its statistics"},
    {"track", "One row per stream or thread of a trace"},
    {"iteration", "Recorded iterations"},
    {"capture", "Stretches of ranks that a profiler recorded"},
    {"run_tag", "Tags of runs"},
    {"run_note", "Notes on runs"},
    {"note", "Notes on a stretch of a run"},
    {"summary", "Figures kept with a run"},
    {"comparison", "Saved comparisons"},
}};

std::string helpOf(std::string_view table) {
    const auto found = std::find_if(kTableHelp.begin(), kTableHelp.end(),
        [table](const auto& entry) { return entry.first == table; });
    return found == kTableHelp.end() ? std::string() : std::string(found->second);
}

Result<std::vector<SqlTable>> readSqlTables(
    const std::filesystem::path& path, const QueryOptions& options) {
    SqlPass pass;
    std::vector<SqlTable> tables{describe(sampleTable(pass)),
        describe(spanTable(pass, options.spanColumns)), describe(statisticsTable(pass))};
    ASSIGN_OR_RETURN(auto opened, openReader(StoreFile(path)));
    Database& database = opened;
    ASSIGN_OR_RETURN(const auto names,
        database.rows("SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE "
                      "'sqlite%' ORDER BY rowid",
            [](const Row& row) { return row.string(0); }));
    for (const std::string& name : names) {
        SqlTable& table = tables.emplace_back(SqlTable{name, helpOf(name), {}, false});
        RETURN_IF_ERROR(assign(database.rows(
                                   "SELECT name, type FROM pragma_table_info(?) ORDER BY cid",
                                   [](const Row& row) {
                                       return SqlTable::Column{row.string(0), row.string(1), {}};
                                   },
                                   std::string_view(name)),
            table.columns));
    }
    return tables;
}

// Connection that the tables of a host read from. Each of them holds it, and SQLite ends them with
// the connection.
struct HostReader {
    Store store;
    Database database;
    SqlPass pass;
};

TableDefinition readingBy(const std::shared_ptr<HostReader>& reader, TableDefinition table) {
    table.open
        = [reader, open = std::move(table.open)](Database&) { return open(reader->database); };
    return table;
}

Status addTables(
    sqlite3* host, const std::filesystem::path& path, const SpanColumnsOf& spanColumns) {
    ASSIGN_OR_RETURN(auto store, Store::open(path, OpenMode::ReadOnly));
    ASSIGN_OR_RETURN(auto database, openReader(StoreFile(path)));
    const auto reader
        = std::make_shared<HostReader>(HostReader{std::move(store), std::move(database), {}});
    for (TableDefinition table : {sampleTable(reader->pass), statisticsTable(reader->pass)})
        RETURN_IF_ERROR(
            addVirtualTable(host, reader->database, readingBy(reader, std::move(table))));
    return addVirtualTable(host, reader->database,
        readingBy(reader, spanTable(reader->pass, spanColumns(reader->store))));
}

} // namespace

Status query(const Store& store, std::string_view sql, const SqlHeader& header, const SqlRow& row,
    const QueryOptions& options) {
    return fenced(
        store.path(), [&] { return Querying(store.path(), sql, options).run(header, row); });
}

Result<std::vector<SqlTable>> sqlTables(const Store& store, const QueryOptions& options) {
    return fenced(store.path(), [&] { return readSqlTables(store.path(), options); });
}

Status addTablesTo(sqlite3* host, const SpanColumnsOf& spanColumns) {
    const char* name = sqlite3_db_filename(host, "main");
    const std::filesystem::path path(name == nullptr ? "" : name);
    if (path.empty())
        return Error{ErrorCode::Usage,
            "No file is open: open a run database first, then load the extension.", {}};
    return fenced(path, [&] { return addTables(host, path, spanColumns); });
}

} // namespace trainscope::store
