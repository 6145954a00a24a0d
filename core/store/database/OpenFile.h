#pragma once
// Opening and creating run databases. Foreign, damaged, newer, empty and unreadable files are
// refused with a message of their own and stay as they are, byte for byte.

#include "core/store/Values.h"
#include "core/store/database/Database.h"
#include "core/store/database/StoreFile.h"

namespace trainscope::store {

// Migrates an older file when it may be written; an older file is refused for reading only, with
// advice.
Result<Database> openFile(const StoreFile& file, OpenMode mode);

// Opens for writing; a path without a file, or with a file of 0 bytes (which holds nothing to
// lose), becomes a new database, which appears whole or not at all.
Result<Database> openOrCreateFile(const StoreFile& file);

// For reading, of whatever version. Undoes first what a killed writer left half written.
Result<Database> openReader(const StoreFile& file);

} // namespace trainscope::store
