#pragma once
// Reads what the inspector says of the kernels in a stretch of time. Blocking; for a worker.

#include "app/viewmodels/inspector/KernelFigures.h"
#include "app/viewmodels/inspector/SpanLookup.h"
#include "app/viewmodels/lanes/TimelineCatalogue.h"
#include "app/viewmodels/workspace/ReaderTask.h"

#include <optional>
#include <string>
#include <vector>

namespace trainscope::app {

struct KernelStretch {
    CataloguePtr catalogue;
    std::vector<plot::ShownRun> runs;
    plot::ViewWindow stretch;
};

// Publishes each part as soon as it is there, and in between how far it is.
void readKernelFigures(
    const store::Store& store, const KernelStretch& stretch, const TaskStage<KernelReading>& stage);

// The longest span of a group in the stretch; absent where there is none.
Result<std::optional<SpanTarget>> findLongest(const store::Store& store,
    const KernelStretch& stretch, analysis::SpanGroup group, std::size_t run,
    const std::string& name, const Progress& progress);

} // namespace trainscope::app
