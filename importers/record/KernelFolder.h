#pragma once
// Folders of the kernel (/sys, /proc), whose entries may go while they are read.

#include <filesystem>
#include <vector>

namespace trainscope::record {

// In order of their names; of what cannot be listed none.
std::vector<std::filesystem::path> entriesOf(const std::filesystem::path& folder);

} // namespace trainscope::record
