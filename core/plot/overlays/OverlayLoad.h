#pragma once
// Reads what lies over the timeline of a run: its throttle episodes, its warm-up, its iterations
// where none are recorded, and until when its temperatures had not settled (design section 5).

#include "core/model/Import.h"
#include "core/model/Run.h"
#include "core/plot/timeline/Timeline.h"
#include "core/store/Store.h"

namespace trainscope::plot {

// Walks the clock of every GPU: takes as long as a summary. Cancelled by progress.
Result<RunOverlay> loadOverlay(
    const store::Store& store, const Run& run, const Progress& progress = {});

} // namespace trainscope::plot
