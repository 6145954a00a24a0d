#pragma once
// CurvePlot: curves of columns over one axis, as boards draw them: a grid, bands, lines that are
// broken where nothing is known, and what lies between a curve and zero.

#include "core/plot/figures/FigureParts.h"

namespace trainscope::plot {

class CurvePlot {
public:
    // All outlive it.
    CurvePlot(const Sheet& sheet, const FigureAxis& axis, Rect plot)
        : m_sheet(sheet)
        , m_axis(axis)
        , m_plot(plot) { }

    // Levels of the axis with their texts at the left.
    void grid() const;
    void band(const std::vector<float>& low, const std::vector<float>& high, Color fill) const;
    // Through the middles of the columns; in print in the pattern of the run at that place.
    void line(std::vector<float> values, Color ink, std::optional<std::size_t> place = {}) const;
    // From zero to the values, with zero as a line.
    void shade(const std::vector<float>& values, Color fill) const;

private:
    [[nodiscard]] float yOf(float value) const; // NaN for NaN

    const Sheet& m_sheet;
    const FigureAxis& m_axis;
    Rect m_plot;
};

} // namespace trainscope::plot
