#pragma once
// A topology file, as commands take it.

#include "core/model/Result.h"
#include "importers/topology/TopologyFile.h"

#include <string>

namespace trainscope::cli {

Result<importers::topology::TopologyFile> readTopologyFile(const std::string& path);

} // namespace trainscope::cli
