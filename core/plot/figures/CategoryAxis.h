#pragma once
// The labels below a category axis: in one line where they fit, broken into lines at their hyphens,
// turned, or thinned out; and the groups below them.

#include "core/plot/figures/FigureParts.h"

#include <string>
#include <vector>

namespace trainscope::plot {

class CategoryAxis {
public:
    // `width`: of the axis.
    CategoryAxis(const Canvas& canvas, const std::vector<FigureCategory>& categories, double width);

    [[nodiscard]] double height() const;
    // Below the plot area whose left edge and bottom these are.
    void draw(double left, double bottom) const;
    // Categories whose label is drawn: every step-th.
    [[nodiscard]] std::size_t step() const { return m_step; }

private:
    enum class Style { Lines, Turned };
    struct Group {
        std::size_t first = 0;
        std::size_t count = 0;
        std::vector<std::string> lines;
    };
    void placeLabels();
    void placeGroups();
    void drawGroups(double left, double top) const;
    [[nodiscard]] double distance() const;
    [[nodiscard]] double labelsHeight() const;

    const Canvas& m_canvas;
    const std::vector<FigureCategory>& m_categories;
    double m_width;
    Style m_style = Style::Lines;
    std::size_t m_step = 1;
    std::vector<std::vector<std::string>> m_labels; // by category, its lines
    std::size_t m_lines = 1; // most of a label
    double m_longest = 0.0; // extent of the longest turned label
    std::vector<Group> m_groups; // empty: no category has one
    std::size_t m_groupLines = 0;
};

} // namespace trainscope::plot
