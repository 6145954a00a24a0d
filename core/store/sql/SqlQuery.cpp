#include "core/store/sql/SqlQuery.h"

#include "core/model/Try.h"
#include "core/store/database/OpenFile.h"
#include "core/store/sql/VirtualTable.h"

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
        value.text = row.string(column);
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

Error sqlError(const Database& database, int code) {
    if ((code & 0xFF) == SQLITE_CORRUPT || (code & 0xFF) == SQLITE_NOTADB
        || (code & 0xFF) == SQLITE_IOERR)
        return database.error(code);
    std::string message = sqlite3_errmsg(database.handle());
    if ((code & 0xFF) == SQLITE_AUTH || (code & 0xFF) == SQLITE_READONLY)
        message += "; queries may only read";
    return {ErrorCode::Usage, "SQL: " + message + ".", {}};
}

// false: the visitor wants no more.
Result<bool> runStatement(
    const Database& database, sqlite3_stmt* statement, const SqlHeader& header, const SqlRow& row) {
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
            return sqlError(database, code);
        for (int i = 0; i < columns; ++i)
            values[static_cast<std::size_t>(i)] = valueOf(statement, i);
        if (row && !row(values))
            return false;
    }
}

} // namespace

Status runQuery(const std::filesystem::path& path, std::string_view sql, const SqlHeader& header,
    const SqlRow& row) {
    ASSIGN_OR_RETURN(auto opened, openReader(path));
    Database& database = opened;
    for (TableDefinition table : {sampleTable(), spanTable()})
        RETURN_IF_ERROR(addVirtualTable(database, std::move(table)));
    // Declaring the tables counts as CREATE TABLE for the authorizer, so it happens before it is
    // there.
    RETURN_IF_ERROR(database.execute("SELECT 1 FROM samples, spans LIMIT 0"));
    sqlite3_set_authorizer(database.handle(), allowReading, nullptr);
    const std::string text(sql);
    const char* rest = text.c_str();
    while (*rest != '\0') {
        sqlite3_stmt* raw = nullptr;
        const int code = sqlite3_prepare_v2(database.handle(), rest, -1, &raw, &rest);
        if (code != SQLITE_OK)
            return sqlError(database, code);
        const StatementHandle statement(raw);
        if (raw == nullptr)
            continue;
        ASSIGN_OR_RETURN(const auto more, runStatement(database, raw, header, row));
        if (!more)
            break;
    }
    return {};
}

} // namespace trainscope::store
