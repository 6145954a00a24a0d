#pragma once
// Writes the kernel trace of a simulated run: the front and the rear GPU of each pipeline stage
// over a whole iteration, from the pipeline's fill to its drain and the optimizer; kernels, their
// launches, collectives with their arguments. Each node has a clock of its own.

#include "app/sample/PipelineRun.h"
#include "core/model/Import.h"

namespace trainscope::app::sample {

Status writeTrace(const ClusterParameters& cluster, const PipelineRun& pipeline, RunId run,
    Sink& sink, ImportReport& report);

} // namespace trainscope::app::sample
