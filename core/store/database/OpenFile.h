#pragma once
// Finding out whose file it is before SQLite touches it, and opening or creating a run database.
// Foreign, damaged, newer, empty and unreadable files are refused with a message of their own and
// stay as they are, byte for byte.

#include "core/store/Values.h"
#include "core/store/database/Database.h"

#include <filesystem>

namespace trainscope::store {

enum class FileState { Absent, Empty, Present };

// State of a run database at that path, by its first bytes. Refused or Unreadable for anything else
// that is.
Result<FileState> inspectFile(const std::filesystem::path& path);

// Migrates an older file when it may be written; an older file is refused for reading only, with
// advice.
Result<Database> openFile(const std::filesystem::path& path, OpenMode mode);

// Opens for writing; a path without a file, or with a file of 0 bytes (which holds nothing to
// lose), becomes a new database, which appears whole or not at all.
Result<Database> openOrCreateFile(const std::filesystem::path& path);

// A second connection for reading to a file that is open already.
Result<Database> openReader(const std::filesystem::path& path);

// The file, where it is there, and what SQLite keeps beside it.
void removeWithSideFiles(const std::filesystem::path& path);

} // namespace trainscope::store
