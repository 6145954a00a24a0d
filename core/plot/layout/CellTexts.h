#pragma once
// The cells of ranks with as much text as they have room for: rank, value and place, thinning out
// to plain colour. All cells of a diagram show the same.

#include "core/plot/layout/RankDiagram.h"

#include <functional>
#include <string>

namespace trainscope::plot {

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

} // namespace trainscope::plot
