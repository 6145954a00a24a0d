#pragma once
// The samples of a run as OpenMetrics text (prometheus/OpenMetrics 1.0), for backfilling a
// monitoring engine: `promtool tsdb create-blocks-from openmetrics FILE`. A metric is a family
// "trainscope_gpu_power_watts"; a counter counts on over wraps and resets. Missing samples are left
// out. Labels: run, and rank, node, gpu, uuid, device as far as they apply.

#include "app/cli/output/RunExport.h"

namespace trainscope::cli {

// Writes request.folder, which is the file here; the number of samples written.
Result<std::int64_t> exportOpenMetrics(
    const store::Store& store, const ExportRequest& request, const KeepGoing& keepGoing);

} // namespace trainscope::cli
