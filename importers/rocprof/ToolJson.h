#pragma once
// The JSON of rocprofv3 (`--output-format json`): one object for each process under
// "rocprofiler-sdk-tool", with its agents, kernels, names of calls, and records of each kind.

#include "importers/common/Importer.h"
#include "importers/trace/RunGrouping.h"

#include <string_view>

namespace trainscope::importers::rocprof {

bool isToolJson(std::string_view head);

TraceFacts factsOfToolJson(const SourceTree& tree, const SourceFile& file);

Result<ImportReport> importToolJson(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress);

} // namespace trainscope::importers::rocprof
