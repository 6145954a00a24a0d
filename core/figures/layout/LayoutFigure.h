#pragma once
// The layout of a run, its pipeline schedule and its placement, read into plain values; with the
// colours of the cells of its ranks: what group they are in, a statistic of a metric, or a metric
// at a moment, on one scale for both diagrams.

#include "core/analysis/cluster/Placement.h"
#include "core/analysis/cluster/RankValues.h"
#include "core/figures/Figure.h"
#include "core/figures/runs/RunFigures.h"
#include "core/plot/layout/LayoutFigure.h"
#include "core/plot/layout/PlacementFigure.h"
#include "core/plot/layout/ScheduleFigure.h"

namespace trainscope::figures {

struct ColouredRanks {
    plot::RankColours colours;
    std::string caption; // names the part of the run behind the values
};

// Values at a moment are on the scale of the whole run, so that a film of them keeps its colours;
// statistics on that of their own values. NotFound for metrics that the GPUs do not have.
Result<ColouredRanks> colourRanks(const analysis::RunStudy& study, const plot::ColourQuery& query);

// The scale of a metric's values at any moment of the run, for playback. NotFound where every
// sample is missing.
Result<plot::FigureAxis> momentScale(const store::Store& store, const analysis::RankSeries& series);

// A diagram of the layout that the command line or a report asks for.
struct LayoutAsked {
    std::string colour; // a RankColour or a metric; empty: as the others mean
    std::vector<std::string> metrics; // the first is such a metric
    std::optional<plot::FigureStatistic> statistic; // absent: the metric's usual one
    std::optional<DurationNs> at; // the value at that time since the run's begin instead
    bool wholeRun = false; // else warm-up and unsettled time are left out where they are known
    std::optional<int> rank; // the rank with marked groups
};
const Options<LayoutAsked>& layoutOptions();

std::vector<Kind> layoutKinds();
std::vector<Kind> scheduleKinds();
std::vector<Kind> placementKinds();

// Draw data that has been read; the figures have no sources.
Figure layoutFigure(const std::shared_ptr<const plot::LayoutFigureData>& data);
Figure scheduleFigure(const std::shared_ptr<const plot::ScheduleFigureData>& data);
Figure placementFigure(const std::shared_ptr<const plot::PlacementFigureData>& data);

// Any thread that owns the store; cancelled by progress. NotFound for a run without GPUs, and where
// groups are to be shown that nothing tells.
Result<plot::LayoutFigureData> loadLayoutFigure(
    const analysis::RunStudy& study, const plot::LayoutQuery& query);

// Nodes and lines of physical diagrams, from the bytes of a run.
std::vector<plot::PhysicalEdge> physicalEdges(const analysis::RunBytes& bytes);
std::vector<plot::PhysicalNode> physicalNodes(const layout::Cluster& cluster,
    const layout::Layout* layout, const analysis::RunBytes& bytes,
    const std::vector<std::optional<double>>& power);

// Nothing to draw is no error (see emptyText); an unknown run is. Any thread that owns the store;
// cancelled by progress.
Result<plot::ScheduleFigureData> loadSchedule(
    const store::Store& store, const plot::ScheduleQuery& query, const Progress& progress = {});

plot::PlacementFigureData placementFigureOf(const Run& run, analysis::Placement placement);

} // namespace trainscope::figures
