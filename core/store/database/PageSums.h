#pragma once
// Checksums of pages. A database that this program makes keeps in the last eight bytes of each
// page, which SQLite leaves to such uses, the XXH3 of all before them and of the page's number. A
// page that is not as it was written is never given to SQLite: reading fails with
// SQLITE_IOERR_DATA.
//
// It is done in SQLite's layer of files (its "VFS"), below the cache and beside the log: what goes
// to the file is given its sum, what comes from it is compared and goes on with eight zeros. No
// other program writes to the file: the header on the disk asks for reading only (its write version
// is one that SQLite does not know).
//
// But pages that lie in a log or journal have zeros and an ordinary header. Another program that
// finds a log after a crash of this one brings its pages home with zeros, and they are taken as
// they are; pages that it then writes itself keep the sums of what they held before, and count as
// damaged.

#include "core/model/Import.h"
#include "core/store/database/Database.h"

namespace trainscope::store {

inline constexpr int kPageSize = 4096;
inline constexpr int kSumSize = 8;

// Opens files with sums; also those that are not there yet.
const char* summingVfs();
// True where that page (kPageSize bytes), the first of a file, has its own checksum.
bool isFirstPageAsWritten(const std::uint8_t* page);

// Blank: zeros and nothing else, which is what SQLite leaves of pages that it took and gave back,
// and what a disk may give for one that it lost. Blank pages in use are damaged; readers are not
// given any.
enum class PageState { AsWritten, Blank, Damaged };
// Reads the file page by page, those out of use too, but not those of which the log has a newer
// state; they are numbered from 1.
Status forEachPage(Database& database, const std::function<Status(std::int64_t, PageState)>& visit);

} // namespace trainscope::store
