#include "core/store/sql/HostTables.h"

#include "core/model/Try.h"
#include "core/store/Connection.h"
#include "core/store/database/OpenFile.h"
#include "core/store/sql/SqlTables.h"

#include <sqlite3.h>

#include <filesystem>
#include <utility>

namespace trainscope::store {
namespace {

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

Status addTablesTo(sqlite3* host, const SpanColumnsOf& spanColumns) {
    const char* name = sqlite3_db_filename(host, "main");
    const std::filesystem::path path(name == nullptr ? "" : name);
    if (path.empty())
        return Error{ErrorCode::Usage,
            "No file is open: open a run database first, then load the extension.", {}};
    return fenced(path, [&] { return addTables(host, path, spanColumns); });
}

} // namespace trainscope::store
