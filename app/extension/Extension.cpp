// trainscope.so: `samples` and `spans` of a run database as tables of whatever program has opened
// it with SQLite. Loading it finds sqlite3_trainscope_init by the file's name.

#include "app/extension/HostSqlite.h"
#include "core/analysis/traces/KernelCategory.h"
#include "core/analysis/traces/SpanColumns.h"
#include "core/catalogue/Tables.h"
#include "core/model/Try.h"
#include "core/store/sql/HostTables.h"

namespace {

using namespace trainscope;

Status addTables(sqlite3* host) {
    ASSIGN_OR_RETURN(
        const auto categories, analysis::KernelCategories::fromFolder(catalogue::configFolder()));
    return store::addTablesTo(host, [categories](const store::Store& store) {
        return analysis::spanColumns(store, categories);
    });
}

} // namespace

extern "C" __attribute__((visibility("default"))) int sqlite3_trainscope_init(
    sqlite3* host, char** message, const sqlite3_api_routines* routines) {
    Status status = extension::useSqliteOf(routines);
    if (status.hasValue())
        status = addTables(host);
    // The store's layer of files stays with the host.
    if (status.hasValue())
        return SQLITE_OK_LOAD_PERMANENTLY;
    *message = extension::messageFor(status.error().describe());
    return SQLITE_ERROR;
}
