#pragma once
// Checks before an import begins that it could write into a database.

#include "core/model/Result.h"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace trainscope::store {

// Free space below which nothing can be written to a disk, B.
inline constexpr std::uint64_t kLeastFreeSpace = std::uint64_t{1} << 20;

// Succeeds where runs could be written now: the file is a run database or not there yet, file and
// folder may be written, the disk has room, and no other program writes. Nothing is created or
// changed. NotFound: there is no such folder. Refused: all else; the message says which.
Status checkWritable(const std::filesystem::path& database);

// Bytes that are free for this user on the disk of a folder; absent where that is not known.
std::optional<std::uint64_t> freeSpaceAt(const std::filesystem::path& folder);

} // namespace trainscope::store
