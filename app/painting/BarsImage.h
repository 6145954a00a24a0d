#pragma once
// A row of bars on the screen: one line of pixels, repeated over the row's height.

#include "core/plot/PlotScene.h"

#include <QImage>
#include <QRect>

#include <cstdint>
#include <vector>

namespace trainscope::app {

class BarsImage {
public:
    // `area` in scene units, `ratio` device pixels per unit.
    BarsImage(const plot::Rect& area, double ratio);

    // Of the same row.
    [[nodiscard]] bool fits(const plot::Bars& bars) const { return bars.area == m_area; }
    // Edges are rounded to pixels; every bar has at least one.
    void add(const plot::Bars& bars);
    [[nodiscard]] QImage image() const; // premultiplied, with the ratio set
    [[nodiscard]] QPointF position() const; // where to draw it, scene units

private:
    plot::Rect m_area;
    double m_ratio;
    QRect m_pixels; // device pixels
    std::vector<std::uint32_t> m_line; // premultiplied
};

} // namespace trainscope::app
