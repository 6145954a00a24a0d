#pragma once
// Dropped paths as one source tree: a single file or folder as it is; several joined, so that the
// rank files of one run dropped together are planned together. In a joined tree the files of a
// folder lie below the folder's name. Any thread.

#include "importers/common/Source.h"

#include <filesystem>
#include <memory>
#include <vector>

namespace trainscope::app {

// A path that cannot be opened is listed with its problem among the files; fails when that is so of
// all, or when there is none. The progress sees archives being listed.
Result<std::unique_ptr<importers::SourceTree>> openDropped(
    const std::vector<std::filesystem::path>& paths, const Progress& progress = {});

} // namespace trainscope::app
