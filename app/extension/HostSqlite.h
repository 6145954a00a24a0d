#pragma once
// The SQLite of the program that loaded the extension. Such a program may carry a SQLite of its
// own; a connection must only ever meet the functions of the library that made it. So the functions
// by which the store speaks to SQLite are defined here, and call the host's.

#include "core/model/Result.h"

#define SQLITE_CORE 1 // the functions keep their names
#include <sqlite3ext.h>

#include <string>

namespace trainscope::extension {

// Before anything else. Refused for a SQLite that is too old for the tables.
Status useSqliteOf(const sqlite3_api_routines* routines);

// A message for the host, which frees it.
char* messageFor(const std::string& text);

} // namespace trainscope::extension
