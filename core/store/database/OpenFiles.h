#pragma once
// The files that SQLite holds open in this process. Whoever opens and closes one of them by other
// means gives up the locks on it, after which another program may take away what is being written.
// Any thread.

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

namespace trainscope::store {

using FileIdentity = std::pair<std::uint64_t, std::uint64_t>; // device and number

// Suffixes of the files that SQLite keeps beside a database.
inline constexpr std::array kSideFiles{"-wal", "-shm", "-journal"};

// Databases that are open now, with what lies beside them.
std::set<FileIdentity> filesInUse();

// Says of a database, as SQLite names it, that one more connection has it open, or one fewer.
void addOpenFile(const std::string& path);
void removeOpenFile(const std::string& path);

} // namespace trainscope::store
