#pragma once
// Checksums of pages. A database that this program makes keeps in the last eight bytes of each
// page, which SQLite leaves to such uses, the XXH3 of all before them and of the page's number. A
// page that is not as it was written is never given to SQLite: reading fails with
// SQLITE_IOERR_DATA.
//
// It is done in SQLite's layer of files (its "VFS"), below the cache and beside the log: what goes
// to the file is given its sum, what comes from it is compared and goes on with eight zeros. Pages
// that lie in a log or journal therefore have zeros, and where another program brings them home,
// after a crash of this one, they stay without a sum and are not compared. No other program can
// change pages that have one: the header on the disk asks for reading only (its write version is
// one that SQLite does not know).
//
// Databases from before format 9 have no room for sums and are opened without.

#include "core/model/Import.h"
#include "core/store/database/Database.h"

#include <cstdint>
#include <functional>
#include <string>

namespace trainscope::store {

inline constexpr int kPageSize = 4096;
inline constexpr int kSumSize = 8;

// Opens files with sums; also those that are not there yet.
const char* summingVfs();
// The VFS for that file; null, SQLite's own, where it is there and has no sums.
const char* vfsFor(const std::string& path);

bool hasPageSums(const Database& database);

enum class PageState { AsWritten, WithoutSum, Damaged };
// Reads the file page by page, those out of use too, but not those of which the log has a newer
// state; they are numbered from 1. Nothing where the database has no sums.
Status forEachPage(Database& database, const std::function<Status(std::int64_t, PageState)>& visit);

} // namespace trainscope::store
