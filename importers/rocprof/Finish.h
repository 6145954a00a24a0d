#pragma once
// What every trace of rocprof says at its end: that it holds something, and of which GPU it is.

#include "importers/common/Importer.h"
#include "importers/trace/ProfileWriter.h"

#include <string>
#include <vector>

namespace trainscope::importers::rocprof {

// `models`: of the machine's GPUs in their order, as far as the trace lists them. Fails where no
// span was written.
Status finishTrace(ProfileWriter& writer, ImportReport& report, const ImportUnit& unit,
    const SourceTree& tree, const std::vector<std::string>& models, Sink& sink);

} // namespace trainscope::importers::rocprof
