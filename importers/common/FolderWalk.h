#pragma once
// The files below a folder. Links to folders are followed once, after everything real, so that a
// folder that is both real and linked is listed by its real path; links that lead back are listed
// with a problem.

#include "importers/common/Source.h"

#include <string>
#include <vector>

namespace trainscope::importers {

// Sorted by path, relative to `root`. Unreadable folders, dangling links, pipes and devices carry a
// problem. Fails when `root` itself cannot be opened.
Result<std::vector<SourceFile>> walkFolder(const std::string& root);

} // namespace trainscope::importers
