#pragma once
// Sheet around a picture of operators: its title above, its legend, caption and notes below; or the
// reason that data is missing.

#include "core/plot/Canvas.h"
#include "core/plot/figures/FigureFoot.h"
#include "core/plot/operators/OperatorsFigure.h"

#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::plot {

class OperatorsSheet : public Canvas {
public:
    using Legend = std::vector<std::pair<std::string, Color>>;

    OperatorsSheet(
        const OperatorsHead& head, const FigureStyle& style, OperatorsGeometry& geometry);

    [[nodiscard]] double width() const { return m_width; } // of the content
    using Canvas::width;
    // Below the content; before open().
    void setLegend(Legend legend) { m_legend = std::move(legend); }
    // Decides the height and draws all around the content, which wants to be so high.
    Rect open(double wanted);
    // In the place of the content.
    void drawEmpty();

    void target(Rect rect, std::size_t index) const { m_geometry.targets.push_back({rect, index}); }

private:
    double drawLegend(Point at, bool isDrawn) const; // its height

    const OperatorsHead& m_head;
    const FigureStyle& m_style;
    OperatorsGeometry& m_geometry;
    double m_pad;
    double m_width;
    Legend m_legend;
};

// Colours of operators: of their passes, or, where none of them tells one, of the categories of
// their kernels.
class OperatorColours {
public:
    explicit OperatorColours(const std::vector<MeasuredOperator>& operators);

    [[nodiscard]] Color of(const MeasuredOperator& one) const;
    // Legend of the operators that are drawn; none where there is nothing to tell apart.
    [[nodiscard]] OperatorsSheet::Legend legend() const;
    void draw(const MeasuredOperator& one); // it is drawn

private:
    bool m_byPass;
    std::array<bool, analysis::kPasses> m_passes{};
    std::set<std::string> m_categories;
};

// The target on top there; nullptr: none.
const OperatorsGeometry::Target* targetAt(const OperatorsGeometry& geometry, Point at);
FigureHit operatorsHit(const OperatorsGeometry::Target& target);
// The same, with what is known of the operator.
FigureHit operatorHit(const OperatorsGeometry::Target& target, const MeasuredOperator& shown);

} // namespace trainscope::plot
