#pragma once
// The result tables of nccl-tests in the logs of a folder, as timings of exchanges for a profile:
// sizes and out-of-place times, the GPU and network as the log names them. A table whose collective
// neither the log nor its bandwidths tell is left out, with a warning.

#include "core/model/Import.h"
#include "core/predict/profile/Timings.h"
#include "importers/common/Source.h"

#include <cstddef>

namespace trainscope::importers::nccl {

// Adds to both; how many logs had a table that was taken.
Result<std::size_t> addTestTimings(const SourceTree& tree, predict::Timings& timings,
    ImportReport& report, const Progress& progress);

} // namespace trainscope::importers::nccl
