#pragma once
// A small file as a text, for tables that people write.

#include "core/model/Result.h"

#include <filesystem>

namespace trainscope {

// Unreadable says why not: a folder, or what the system says. Blocks; any thread.
Result<std::string> textOfFile(const std::filesystem::path& path);

} // namespace trainscope
