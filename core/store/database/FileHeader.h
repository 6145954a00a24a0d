#pragma once
// Owner of a file by its first bytes ("Database File Format", 1.3, of SQLite): ours, of a version
// that is known, or another program's.

#include "core/model/Result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace trainscope::store {

constexpr std::size_t kHeaderSize = 100;
using FileHeader = std::array<std::uint8_t, kHeaderSize>;

// True for a file that says that it is one of ours, of whatever version.
bool isRunDatabase(const std::filesystem::path& path);

Error foreign(const std::filesystem::path& path, const std::string& what);

// `header`: as much of it as the file has, at least a byte. Refused: not ours, or of a version that
// is not known. Unreadable: ours, and damaged or cut short.
Status judgeHeader(const std::filesystem::path& path, std::span<const std::uint8_t> header);

// Ours, and damaged; it does not advise to check the file, which has to be opened for that.
Error cannotBeOpened(const std::string& path);

} // namespace trainscope::store
