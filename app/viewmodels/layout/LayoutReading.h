#pragma once
// Data of a run for the layout view: the diagrams' first, then those that take a look at the
// traces. Plain values; any thread.

#include "app/viewmodels/layout/LayoutFacts.h"
#include "app/viewmodels/layout/MachineForm.h"
#include "core/analysis/RunStudy.h"
#include "core/analysis/cluster/Placement.h"
#include "core/analysis/machine/RunLayout.h"
#include "core/analysis/schedule/TracedSchedule.h"
#include "core/plot/layout/LayoutFigure.h"
#include "core/plot/layout/ScheduleFigure.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trainscope::app {

struct LayoutReading {
    Run run;
    plot::LayoutFigureData figure;
    std::vector<plot::FigureChoice> metrics;
    std::optional<analysis::RunLayout> known; // absent: nothing says the layout
    std::string missing; // reason that the layout is not known
    MachineFormFacts machine;
    plot::ScheduleFigureData schedule; // empty where there is no pipeline
    std::vector<analysis::TracedIteration> iterations; // iterations in the pipeline's traces
    std::optional<analysis::Placement> placement; // estimated placement that allows for heat
    std::string placementMissing; // reason for no placement
    std::vector<Fact> nccl; // facts from a log of NCCL; empty: the run has none
    bool hasTraces = false; // bytes, the traced schedule and a placement were looked for
};
using LayoutReadingPtr = std::shared_ptr<const LayoutReading>;

// `colours` by group fall back to nodes where nothing says the layout, those by a metric that the
// run does not have to one that it has (fitMetric). Cancelled by progress.
Result<LayoutReadingPtr> readLayout(
    const analysis::RunStudy& study, const plot::ColourQuery& colours, bool withTraces);

} // namespace trainscope::app
