// trainscope.so: `samples` and `spans` of a run database as tables of whatever program has opened
// it with SQLite. Loading it finds sqlite3_trainscope_init by the file's name.
//
// Such a program may carry a SQLite of its own; a connection must only ever meet the functions of
// the library that made it. So the functions by which the store speaks to SQLite are defined here,
// and call the host's.

#define SQLITE_CORE 1 // the functions keep their names
#include <sqlite3ext.h>

#include "core/analysis/traces/KernelCategory.h"
#include "core/analysis/traces/SpanColumns.h"
#include "core/catalogue/Tables.h"
#include "core/model/Try.h"

#include <cstdarg>

namespace {

using namespace trainscope;

const sqlite3_api_routines* hostRoutines = nullptr;

constexpr int kOldestSqlite = 3038000; // sqlite3_vtab_in

// Refused for a SQLite that is too old for the tables.
Status useSqliteOf(const sqlite3_api_routines* routines) {
    hostRoutines = routines;
    if (routines->libversion_number() >= kOldestSqlite)
        return {};
    return Error{ErrorCode::Usage,
        std::string("This program uses SQLite ") + routines->libversion()
            + "; the tables of Trainscope need 3.38 or later.",
        {}};
}

// A message for the host, which frees it.
char* messageFor(const std::string& text) {
    return hostRoutines->mprintf("%s", text.c_str());
}

Status addTables(sqlite3* host) {
    ASSIGN_OR_RETURN(
        const auto categories, analysis::KernelCategories::fromFolder(catalogue::configFolder()));
    return store::addTablesTo(host, [categories](const store::Store& store) {
        return analysis::spanColumns(store, categories);
    });
}

} // namespace

// A function of SQLite: its result, its name without "sqlite3_", its parameters, and their names.
#define HOST_FUNCTION(RESULT, NAME, PARAMETERS, NAMES)                                             \
    RESULT sqlite3_##NAME PARAMETERS {                                                             \
        return hostRoutines->NAME NAMES;                                                           \
    }

extern "C" {

using Destructor = void (*)(void*);
using RowCallback = int (*)(void*, int, char**, char**);
using Authorizer = int (*)(void*, int, const char*, const char*, const char*, const char*);

// clang-format off
HOST_FUNCTION(int, bind_blob64, (sqlite3_stmt* s, int i, const void* v, sqlite3_uint64 n, Destructor d), (s, i, v, n, d))
HOST_FUNCTION(int, bind_double, (sqlite3_stmt* s, int i, double v), (s, i, v))
HOST_FUNCTION(int, bind_int64, (sqlite3_stmt* s, int i, sqlite3_int64 v), (s, i, v))
HOST_FUNCTION(int, bind_null, (sqlite3_stmt* s, int i), (s, i))
HOST_FUNCTION(int, bind_text64, (sqlite3_stmt* s, int i, const char* v, sqlite3_uint64 n, Destructor d, unsigned char e), (s, i, v, n, d, e))
HOST_FUNCTION(int, bind_zeroblob, (sqlite3_stmt* s, int i, int n), (s, i, n))
HOST_FUNCTION(int, busy_timeout, (sqlite3* h, int ms), (h, ms))
HOST_FUNCTION(sqlite3_int64, changes64, (sqlite3* h), (h))
HOST_FUNCTION(int, clear_bindings, (sqlite3_stmt* s), (s))
HOST_FUNCTION(int, close_v2, (sqlite3* h), (h))
HOST_FUNCTION(const void*, column_blob, (sqlite3_stmt* s, int i), (s, i))
HOST_FUNCTION(int, column_bytes, (sqlite3_stmt* s, int i), (s, i))
HOST_FUNCTION(int, column_count, (sqlite3_stmt* s), (s))
HOST_FUNCTION(double, column_double, (sqlite3_stmt* s, int i), (s, i))
HOST_FUNCTION(sqlite3_int64, column_int64, (sqlite3_stmt* s, int i), (s, i))
HOST_FUNCTION(const char*, column_name, (sqlite3_stmt* s, int i), (s, i))
HOST_FUNCTION(const unsigned char*, column_text, (sqlite3_stmt* s, int i), (s, i))
HOST_FUNCTION(int, column_type, (sqlite3_stmt* s, int i), (s, i))
HOST_FUNCTION(int, create_module_v2, (sqlite3* h, const char* n, const sqlite3_module* m, void* p, Destructor d), (h, n, m, p, d))
HOST_FUNCTION(const char*, db_filename, (sqlite3* h, const char* n), (h, n))
HOST_FUNCTION(int, declare_vtab, (sqlite3* h, const char* sql), (h, sql))
HOST_FUNCTION(int, errcode, (sqlite3* h), (h))
HOST_FUNCTION(const char*, errmsg, (sqlite3* h), (h))
HOST_FUNCTION(int, error_offset, (sqlite3* h), (h))
HOST_FUNCTION(int, exec, (sqlite3* h, const char* sql, RowCallback f, void* p, char** m), (h, sql, f, p, m))
HOST_FUNCTION(int, extended_result_codes, (sqlite3* h, int on), (h, on))
HOST_FUNCTION(int, file_control, (sqlite3* h, const char* n, int o, void* p), (h, n, o, p))
HOST_FUNCTION(int, finalize, (sqlite3_stmt* s), (s))
HOST_FUNCTION(void, free, (void* p), (p))
HOST_FUNCTION(int, get_autocommit, (sqlite3* h), (h))
HOST_FUNCTION(sqlite3_int64, last_insert_rowid, (sqlite3* h), (h))
HOST_FUNCTION(int, limit, (sqlite3* h, int id, int value), (h, id, value))
HOST_FUNCTION(void*, malloc64, (sqlite3_uint64 n), (n))
HOST_FUNCTION(int, open_v2, (const char* n, sqlite3** h, int flags, const char* vfs), (n, h, flags, vfs))
HOST_FUNCTION(int, prepare_v2, (sqlite3* h, const char* sql, int n, sqlite3_stmt** s, const char** tail), (h, sql, n, s, tail))
HOST_FUNCTION(int, prepare_v3, (sqlite3* h, const char* sql, int n, unsigned int flags, sqlite3_stmt** s, const char** tail), (h, sql, n, flags, s, tail))
HOST_FUNCTION(void, progress_handler, (sqlite3* h, int n, int (*f)(void*), void* p), (h, n, f, p))
HOST_FUNCTION(int, reset, (sqlite3_stmt* s), (s))
HOST_FUNCTION(void, result_double, (sqlite3_context* c, double v), (c, v))
HOST_FUNCTION(void, result_error, (sqlite3_context* c, const char* m, int n), (c, m, n))
HOST_FUNCTION(void, result_error_nomem, (sqlite3_context* c), (c))
HOST_FUNCTION(void, result_int64, (sqlite3_context* c, sqlite3_int64 v), (c, v))
HOST_FUNCTION(void, result_null, (sqlite3_context* c), (c))
HOST_FUNCTION(void, result_text64, (sqlite3_context* c, const char* v, sqlite3_uint64 n, Destructor d, unsigned char e), (c, v, n, d, e))
HOST_FUNCTION(int, set_authorizer, (sqlite3* h, Authorizer f, void* p), (h, f, p))
HOST_FUNCTION(int, step, (sqlite3_stmt* s), (s))
HOST_FUNCTION(int, stricmp, (const char* a, const char* b), (a, b))
HOST_FUNCTION(const void*, value_blob, (sqlite3_value* v), (v))
HOST_FUNCTION(int, value_bytes, (sqlite3_value* v), (v))
HOST_FUNCTION(double, value_double, (sqlite3_value* v), (v))
HOST_FUNCTION(sqlite3_int64, value_int64, (sqlite3_value* v), (v))
HOST_FUNCTION(int, value_numeric_type, (sqlite3_value* v), (v))
HOST_FUNCTION(int, value_type, (sqlite3_value* v), (v))
HOST_FUNCTION(const char*, vtab_collation, (sqlite3_index_info* i, int n), (i, n))
HOST_FUNCTION(sqlite3_vfs*, vfs_find, (const char* n), (n))
HOST_FUNCTION(int, vfs_register, (sqlite3_vfs* v, int d), (v, d))
HOST_FUNCTION(int, vtab_in, (sqlite3_index_info* i, int n, int h), (i, n, h))
HOST_FUNCTION(int, vtab_in_first, (sqlite3_value* l, sqlite3_value** v), (l, v))
HOST_FUNCTION(int, vtab_in_next, (sqlite3_value* l, sqlite3_value** v), (l, v))
HOST_FUNCTION(int, vtab_rhs_value, (sqlite3_index_info* i, int n, sqlite3_value** v), (i, n, v))
// clang-format on

char* sqlite3_mprintf(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char* text = hostRoutines->vmprintf(format, arguments);
    va_end(arguments);
    return text;
}

// The settings that the store makes are all a switch and where its state goes.
int sqlite3_db_config(sqlite3* handle, int option, ...) {
    va_list arguments;
    va_start(arguments, option);
    const int on = va_arg(arguments, int);
    int* state = va_arg(arguments, int*);
    va_end(arguments);
    return hostRoutines->db_config(handle, option, on, state);
}

} // extern "C"

extern "C" __attribute__((visibility("default"))) int sqlite3_trainscope_init(
    sqlite3* host, char** message, const sqlite3_api_routines* routines) {
    Status status = useSqliteOf(routines);
    if (status.hasValue())
        status = addTables(host);
    // The store's layer of files stays with the host.
    if (status.hasValue())
        return SQLITE_OK_LOAD_PERMANENTLY;
    *message = messageFor(status.error().describe());
    return SQLITE_ERROR;
}
