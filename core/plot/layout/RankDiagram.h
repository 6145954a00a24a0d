#pragma once
// Cells of ranks, which the diagrams of ranks share: one cell per rank, whose colour can change
// without a new layout. Pure; any thread.

#include "core/layout/Cluster.h"
#include "core/layout/Layout.h"
#include "core/plot/figures/Figure.h"

namespace trainscope::plot {

// The quantity that a cell's colour shows.
enum class RankColour { Value, Tensor, Context, Expert, Data, Pipeline, Node };
constexpr auto namesOf(RankColour) {
    return enumNames("value", "tensor", "context", "expert", "data", "stage", "node");
}

struct RankColours {
    RankColour by = RankColour::Pipeline;
    // With Value: by rank, absent where there is none, on that scale.
    std::vector<std::optional<double>> values;
    FigureAxis scale;
    // Else, where they are not those of the layout: by rank, and how many there are.
    std::vector<int> indices = {};
    int count = 0;
};

// Indices of a rank's cell in the scene's items.
struct RankCell {
    std::size_t fill = 0;
    std::size_t firstLabel = 0;
    std::size_t labels = 0;
    std::optional<std::size_t> value; // the label that tells the value
};

// Targets are the cells, by rank, and the lines between nodes of a physical diagram, whose choice
// is the index of the data's edge.
struct RankDiagram : Picture {
    std::vector<Rect> cells; // by rank; empty where a rank has no place; they do not overlap
    std::vector<RankCell> items; // by rank
    std::vector<Rect> nodes; // a physical diagram's, in the cluster's order
};

// Writes the colours and values into the cells; their `by` is as the diagram was built with.
// `layout` may be nullptr with Value and Node only.
void recolour(RankDiagram& diagram, const RankColours& colours, const layout::Layout* layout,
    const Theme& theme);

// Colour of a cell; absent values have the theme's gap colour and are hatched.
Color rankColor(
    const RankColours& colours, const layout::Layout* layout, int rank, const Theme& theme);
// "59°", "688": a number as short as it can be told; empty without one.
std::string shortValue(const FigureAxis& scale, const std::optional<double>& value);
// Index of the rank by that colour's dimension (stage, tensor rank, …), and the number of indices.
int colourIndex(RankColour colour, const layout::Layout& layout, int rank);
int colourCount(RankColour colour, const layout::Layout& layout);
// One of so many: the shared palette while it lasts, else steps of viridis.
Color indexColor(int index, int count);

// The cells of ranks with as much text as they have room for: rank, value and place, thinning out
// to plain colour. All cells of a diagram show the same.

class CellTexts {
public:
    enum class Level { Plain, Rank, Stacked, Full };

    // `place`: of a rank, "S0 T3"; shown with Full, and with Stacked where there are no values.
    using PlaceOf = std::function<std::string(int rank)>;
    CellTexts(const FigureStyle& style, const RankColours& colours, int ranks, PlaceOf place);

    // The most text that fits into every cell of that size.
    [[nodiscard]] Level levelFor(double width, double height) const;
    // The least size of a cell that shows so much; Plain: what can still be told apart.
    [[nodiscard]] double widthFor(Level level) const;
    [[nodiscard]] double heightFor(Level level) const;

    // Puts the cell of a rank into the scene; its colours are those of recolour(), yet to come.
    void add(RankDiagram& diagram, int rank, const Rect& rect, Level level) const;

private:
    [[nodiscard]] bool hasValues() const { return m_colours.by == RankColour::Value; }
    void label(RankDiagram& diagram, RankCell& cell, Point at, std::string text, Align align,
        bool bold) const;

    const FigureStyle& m_style;
    const RankColours& m_colours;
    PlaceOf m_place;
    double m_rank = 0.0; // widths of the widest
    double m_value = 0.0;
    double m_widestPlace = 0.0;
    double m_pad;
    double m_line;
    double m_size;
};

// NodeArrangement: places of the boxes of nodes and of the cells in them, with as many nodes a row,
// and as much text in the cells, as the space allows. Pure.

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
