#pragma once
// The layout of a run as a figure: the physical diagram above the logical one, in the same colours,
// with their legend. Read once into plain values, which geometry and CSV are made from.

#include "core/analysis/cluster/RunBytes.h"
#include "core/layout/Cluster.h"
#include "core/plot/layout/GroupOutlines.h"
#include "core/plot/layout/PhysicalDiagram.h"

namespace trainscope::plot {

// The choice of what colours the cells.
struct ColourQuery {
    RankColour by = RankColour::Pipeline;
    // With Value:
    std::string metric = "gpu_temperature";
    std::optional<FigureStatistic> statistic; // absent: the metric's usual one
    std::optional<TimeNs> at; // the value at that moment instead of a statistic
    bool wholeRun = false; // else warm-up and unsettled time are left out where they are known

    bool operator==(const ColourQuery&) const = default;
};

struct LayoutQuery {
    ColourQuery colours;
    std::optional<int> rank; // the rank with marked groups
    bool bytes = true; // exchanged bytes are shown: reads the traces
};

struct LayoutFigureData : SheetTexts {
    LayoutQuery query;
    FigureRun run;
    std::optional<layout::Layout> layout; // absent: nothing says it; then physical alone
    std::string origin; // "layout from launch configuration config.yaml"
    layout::Cluster cluster;
    RankColours colours;
    analysis::RunBytes bytes; // empty without a layout
    std::vector<PhysicalNode> nodes; // as cluster.nodes
    std::vector<PhysicalEdge> edges;
};

// Pure; any thread.
Picture buildLayoutFigure(const LayoutFigureData& data, const FigureStyle& style);

// A row per rank: where it is, its coordinates, its value (SI), what it sends per step by group.
std::string layoutCsv(const LayoutFigureData& data);

} // namespace trainscope::plot
