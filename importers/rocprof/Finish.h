#pragma once
// Ends every trace of rocprof: checks that it holds something, and names its GPU.

#include "importers/common/Importer.h"
#include "importers/trace/ProfileWriter.h"

#include <optional>
#include <string>
#include <vector>

namespace trainscope::importers::rocprof {

struct TracedMachine {
    std::vector<std::string> models; // of its GPUs in their order, as far as the trace lists them
    std::optional<int> node; // as the job was launched; absent: by the rank
};

// Fails where no span was written.
Status finishTrace(ProfileWriter& writer, ImportReport& report, const ImportUnit& unit,
    const SourceTree& tree, const TracedMachine& machine, Sink& sink);

} // namespace trainscope::importers::rocprof
