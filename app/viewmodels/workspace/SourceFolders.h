#pragma once
// The folders that runs were imported from, by which lists of runs are grouped. Plain functions;
// any thread.

#include "core/model/Id.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::app {

// By run, from the paths of its sources. A run of one source, a file or a folder, is of the folder
// that this lies in. The sources of one run may have a folder of their own: then it is of the
// folder above, unless other runs have sources in it as well.
std::map<RunId, std::string> sourceFolders(
    const std::vector<std::pair<RunId, std::string>>& sourcePaths);

} // namespace trainscope::app
