#pragma once
// The physical diagram of a run: node boxes in rack order, in each its GPUs as the air passes them,
// the front row above and the rear row below, with the scale-up link between them, or the links
// between single GPUs where an imported topology tells them, and the network cards that these are
// nearest to; lines over racks and link domains; lines between
// nodes as thick as what they exchange. Text thins out with the size, down to coloured cells for
// 1,024 GPUs. Pure; any thread.

#include "core/analysis/cluster/RunBytes.h"
#include "core/layout/Cluster.h"
#include "core/plot/layout/RankDiagram.h"

namespace trainscope::plot {

// Texts and load of a node; parts that do not fit are left out.
struct PhysicalNode {
    std::string summary; // right of its name: "stage 0 · 3.6 kW"
    std::string link; // below: "NVSwitch 174 GB/s"
    std::optional<double> load; // 0..1 of its scale-up link, the strength of its bar
};

struct PhysicalEdge : analysis::EdgeBytes {
    double bytes = 0.0; // the width, the widest for the most
    std::string label; // "6.1 GB / step"; where there is room
};

struct PhysicalData {
    const layout::Cluster* cluster = nullptr;
    const layout::Layout* layout = nullptr; // nullptr: not known
    RankColours colours;
    std::vector<PhysicalNode> nodes; // as cluster->nodes; may be empty
    std::vector<PhysicalEdge> edges;
};

RankDiagram buildPhysical(const PhysicalData& data, const FigureStyle& style);

// So many lines are drawn, those with the most bytes; more would hide each other.
inline constexpr std::size_t kMostEdges = 512;

// The logical diagram of a layout: a row per pipeline stage, in it the data-parallel replicas (and
// context-parallel parts) as blocks of tensor-parallel ranks; a cell per rank. A stage's blocks are
// broken into several lines if they do not fit one. Pure; any thread.

struct RankGridData {
    const layout::Layout* layout = nullptr;
    RankColours colours;
};

RankDiagram buildRankGrid(const RankGridData& data, const FigureStyle& style);

} // namespace trainscope::plot
