#pragma once
// Guard against files of strangers. A run database can be forged: its header says that it is ours,
// its schema and the files beside it say anything. Triggers and views in it are never run,
// functions with effects are not reachable from its schema, values are bounded, and a file whose
// schema or side files can only be an attack is refused before anything of it is used.

#include "core/store/database/Database.h"

#include <filesystem>
#include <span>
#include <string_view>

struct sqlite3;

namespace trainscope::store {

// Right after opening, before SQLite has looked into the file.
void confine(sqlite3* handle);

// Questions of a Watch while a schema is loaded, of 2,000 steps of SQLite's machine each, 8 steps
// an entry: ours has 60 entries, and loading takes the square of their number.
inline constexpr int kMostSchemaQuestions = 20;

// Loads the schema. Refused where it holds thousands of entries, a view or a virtual table in the
// place of one of our tables, or in one of them a column that is computed or has a long default.
Status guardSchema(Database& database);

// Refused where a journal beside the file names another file, which SQLite would delete when it
// undoes what was half written, and where a side file is a link, through which it would write.
Status guardSideFiles(const std::filesystem::path& path);

// The tables of a run database, and those that queries have besides.
std::span<const std::string_view> ownTables();

} // namespace trainscope::store
