#pragma once
// Data of a run for the layout view: the diagrams' first, then those that take a look at the
// traces; what there is to say of a rank and its groups; and the state that the parts of the view
// share. Readings are plain values and functions for any thread; the context is of the GUI thread.

#include "app/viewmodels/layout/LayoutForm.h"
#include "app/viewmodels/layout/LayoutSettings.h"
#include "app/viewmodels/workspace/TableModel.h"
#include "core/analysis/cluster/Placement.h"
#include "core/analysis/machine/RunLayout.h"
#include "core/analysis/schedule/TracedSchedule.h"
#include "core/plot/layout/LayoutFigure.h"
#include "core/plot/layout/PlacementFigure.h"
#include "core/plot/layout/ScheduleFigure.h"

namespace trainscope::app {

// "8–15", "5, 13, 21, 29", "0, 8 … 1016 (128)".
QString ranksText(const std::vector<int>& ranks);

// Place of the rank: node and slot, stage with its layers, coordinates. Empty: no such rank.
std::vector<Fact> placeFacts(const plot::LayoutFigureData& data, int rank);
// Exchanges of each of its groups per step, measured beside computed, with their link.
std::vector<Fact> exchangeFacts(const plot::LayoutFigureData& data, int rank);
// Facts of the whole layout: degrees, origin, links.
std::vector<Fact> layoutFacts(const plot::LayoutFigureData& data);

// Expected effect of a placement: layers of each stage, changes with their ranges.
std::vector<Fact> placementFacts(const analysis::Placement& placement);

struct HoverText {
    QString title;
    QString text; // lines
};
// `only`: this kind of groups; `colours`: what the cell shows.
HoverText rankHover(const plot::LayoutFigureData& data, const plot::RankColours& colours, int rank,
    std::optional<layout::CommunicatorKind> only);

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
