#pragma once
// Logs and journals beside a database. SQLite takes them by their names alone: where a file was
// replaced by a backup or by another database, or removed, it would write the pages of the one into
// the other; and of a log it reads as much as is whole, and then deletes it.
//
// Beside a database with page sums they keep what they go on from, the sums of the file's first
// page as it is and as it is about to be, in an extended attribute. File systems without such
// attributes keep nothing, and most copies lose it: these logs are taken as they are.

#include "core/model/Result.h"

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

namespace trainscope::store {

// To be called before the first page of the file is written, and before a log or journal is begun,
// with the same sum twice. Whether what is kept beside the database is true.
bool keepOrigin(const std::string& database, std::uint64_t before, std::uint64_t after);

// Checks the log or journal that SQLite would apply to the file when it opens it. Refused where a
// log or journal goes on from another file; Unreadable where a log that its writer left is damaged
// before its last commit: of a commit that was the last one, nobody can say whether it was done
// when the power went. Reads all of such a log.
Status guardLogs(const std::filesystem::path& database);

// Refused where a log or journal lies beside a place where no file is: it may hold all that is left
// of one.
Status guardAbsent(const std::filesystem::path& database);

// Pages of a database with page checksums, by SQLite's name, that have a newer state in its log; a
// checkpoint that failed may have written half of them.
std::set<std::int64_t> pagesInLog(const std::string& database);

} // namespace trainscope::store
