#pragma once
// Dense columns on the screen: many series filled straight into one image, column after column in
// memory, turned upright once. Far cheaper than as many painter calls.

#include "core/plot/PlotScene.h"

#include <QImage>
#include <QRect>

#include <cstdint>
#include <vector>

namespace trainscope::app {

class ColumnsImage {
public:
    // `area` in scene units, `ratio` device pixels per unit.
    ColumnsImage(const plot::Rect& area, double ratio);

    void add(const plot::Columns& columns);
    [[nodiscard]] QImage image() const; // with the ratio set
    [[nodiscard]] QPointF position() const; // where to draw it, scene units

private:
    void fill(int column, int top, int bottom, std::uint32_t source);

    double m_ratio;
    QRect m_pixels; // device pixels
    std::vector<std::uint32_t> m_columns; // premultiplied, column by column
};

} // namespace trainscope::app
