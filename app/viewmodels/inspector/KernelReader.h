#pragma once
// Reads what the inspector says of the kernels in a stretch of time. Blocking; for a worker.

#include "app/viewmodels/inspector/KernelFigures.h"
#include "app/viewmodels/inspector/SpanLookup.h"
#include "app/viewmodels/lanes/TimelineCatalogue.h"
#include "app/viewmodels/workspace/Task.h"
#include "core/analysis/replay/StepReplay.h"
#include "core/store/KeptSums.h"

#include <optional>
#include <string>
#include <vector>

namespace trainscope::app {

struct KernelStretch {
    CataloguePtr catalogue;
    std::vector<plot::ShownRun> runs;
    plot::ViewWindow stretch;
    std::optional<SpanReport> span = {}; // the selected one
};

// Publishes each part as soon as it is there, and in between how far it is.
void readKernelFigures(
    const store::Store& store, const KernelStretch& stretch, const TaskStage<KernelReading>& stage);

// The kernels that ran in the stretch while power was above its limit, and the energies of its
// phases and kernels. A pass over the spans of that time.
Result<AskedReading> readAboveLimit(
    const store::Store& store, const KernelStretch& stretch, const Progress& progress);
Result<AskedReading> readEnergy(
    const store::Store& store, const KernelStretch& stretch, const Progress& progress);
// Memory of PyTorch's allocator over whole runs (core/report/MemoryTables.h): devices, uses,
// allocations that lived at the peak, and iterations. Runs without it are left out.
Result<AskedReading> readMemory(
    const store::Store& store, const KernelStretch& stretch, const Progress& progress);

// "In half their time: a step of 35.3 ms is shorter by 1.2 ms (0.9 to 1.5)."
QString whatIfText(const std::string& change, const analysis::StepReplay& replay);
// A step with the selected kernel, and all others of its name in that capture, in half their time
// and in none, in words. Replays the traced steps.
Result<AskedReading> readWhatIf(
    const store::Store& store, const KernelStretch& stretch, const Progress& progress);

// The sums of these runs' traces, to be kept. One pass over all their spans.
Result<std::vector<store::KeptSums>> sumRuns(const store::Store& store,
    const CataloguePtr& catalogue, const std::vector<RunId>& runs, const Progress& progress);

// The longest span of a group in the stretch; absent where there is none.
Result<std::optional<SpanTarget>> findLongest(const store::Store& store,
    const KernelStretch& stretch, analysis::SpanGroup group, std::size_t run,
    const std::string& name, const Progress& progress);

} // namespace trainscope::app
