#pragma once
// The logical diagram of a layout: a row per pipeline stage, in it the data-parallel replicas (and
// context-parallel parts) as blocks of tensor-parallel ranks; a cell per rank. A stage's blocks are
// broken into several lines if they do not fit one. Pure; any thread.

#include "core/plot/layout/RankDiagram.h"

namespace trainscope::plot {

struct RankGridData {
    const layout::Layout* layout = nullptr;
    RankColours colours;
};

RankDiagram buildRankGrid(const RankGridData& data, const FigureStyle& style);

} // namespace trainscope::plot
