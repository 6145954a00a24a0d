#pragma once
// NodeArrangement: places of the boxes of nodes and of the cells in them, with as many nodes a row,
// and as much text in the cells, as the space allows. Pure.

#include "core/layout/Cluster.h"
#include "core/plot/layout/RankDiagram.h"

namespace trainscope::plot {

struct NodeArrangement {
    CellTexts::Level level = CellTexts::Level::Plain;
    int columns = 1; // nodes a row
    int rows = 1;
    int cellColumns = 1;
    int cellRows = 1; // 1 or 2: front and rear
    double cellWidth = 0.0;
    double cellHeight = 0.0;
    double pad = 0.0; // inside a box
    double cellGap = 0.0;
    double bar = 0.0; // height of the link between the rows, with its air; 0: none
    double title = 0.0; // height of the node's name; 0: none
    double nics = 0.0; // height of the network cards below the cells; 0: none
    double foot = 0.0; // height of the line below these; 0: none
    double left = 0.0; // space before the rows for the number of their first node; 0: none
    double nodeGap = 0.0; // between boxes of a row
    double rackHead = 0.0; // above each row; 0: no racks
    double band = 0.0; // below each row, for the lines between nodes
    double totalHeight = 0.0; // height of all rows

    [[nodiscard]] double nodeWidth() const;
    [[nodiscard]] double nodeHeight() const;
    [[nodiscard]] Rect node(std::size_t index) const; // from the diagram's top left
    // Place of the GPU at `slot` in the air's order, of `count` in its node.
    [[nodiscard]] Rect cell(const Rect& node, int slot, int count) const;
    [[nodiscard]] Rect link(const Rect& node) const; // the bar between the rows
    [[nodiscard]] Rect cards(const Rect& node) const;
};

NodeArrangement arrangeNodes(const layout::Cluster& cluster, bool hasEdges, const CellTexts& texts,
    const FigureStyle& style);

} // namespace trainscope::plot
