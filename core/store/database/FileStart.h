#pragma once
// The first bytes of a file that connections of this process may have open. Whoever opens and
// closes it by other means gives up all locks that SQLite holds on it (POSIX ties them to process
// and file), after which another program may take away what is being written.

#include "core/model/Result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace trainscope::store {

// The path that a link leads to, and any other path as it is: side files lie beside that file.
std::filesystem::path behindLinks(const std::filesystem::path& path);

// Reads the first bytes of the file into `bytes`; returns their number. Unreadable, with the
// system's reason.
Result<std::size_t> readStart(const std::filesystem::path& path, std::span<std::uint8_t> bytes);

// True for a file that begins as those of SQLite do, whichever program made it.
bool isSqlite(const std::filesystem::path& path);

} // namespace trainscope::store
