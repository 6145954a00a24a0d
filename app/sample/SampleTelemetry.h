#pragma once
// Writes the telemetry of a simulated run: every GPU's sensors at 10 Hz, InfiniBand counters per
// node, a few failed reads and one hole in the recording, as real logs have them.

#include "app/sample/PipelineRun.h"
#include "core/model/Import.h"

namespace trainscope::app::sample {

Status writeTelemetry(const ClusterParameters& cluster, const PipelineRun& pipeline, RunId run,
    Sink& sink, ImportReport& report);

} // namespace trainscope::app::sample
