#pragma once
// Data of a run for the layout view: the diagrams' first, then those that take a look at the
// traces; and the state that the parts of the view share. Readings are plain values for any thread;
// the context is of the GUI thread.

#include "app/viewmodels/layout/LayoutFacts.h"
#include "app/viewmodels/layout/LayoutSettings.h"
#include "app/viewmodels/layout/MachineForm.h"
#include "core/analysis/RunStudy.h"
#include "core/analysis/cluster/Placement.h"
#include "core/analysis/machine/RunLayout.h"
#include "core/analysis/schedule/TracedSchedule.h"
#include "core/plot/layout/LayoutFigure.h"
#include "core/plot/layout/PlacementFigure.h"
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

struct LayoutContext {
    std::optional<Run> run;
    LayoutReadingPtr reading; // nullptr: nothing yet
    LayoutSettings settings;
    plot::RankColours colours;
    QString coloursCaption;
    // Metric whose values at the cursor are the colours; empty: colours show something else.
    std::string momentMetric;
    plot::PlacementFigureData placement;
    bool isPlacementShown = false;
    std::optional<int> hoverRank;
    std::optional<int> rank;

    [[nodiscard]] const layout::Layout* layout() const {
        return reading && reading->figure.layout ? &*reading->figure.layout : nullptr;
    }
    // Metric that the ranks are coloured by; empty: something else.
    [[nodiscard]] std::string metric() const {
        return settings.by == plot::RankColour::Value ? settings.metric : std::string();
    }
    // Not yet while the colours are still those of a choice before.
    [[nodiscard]] bool showsValuesAtCursor() const {
        return settings.isAtCursor() && momentMetric == settings.metric
            && colours.by == plot::RankColour::Value;
    }
};

} // namespace trainscope::app
