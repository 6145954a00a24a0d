#include "app/painting/VectorShapes.h"

#include <algorithm>
#include <cmath>

namespace trainscope::app {

namespace {

constexpr double kOverlap = 0.25;

// Adds one edge of an outline, without points in the middle of a level stretch.
void addEdge(QPainterPath& path, const std::vector<QPointF>& points, bool isFirst) {
    const auto isLevel
        = [](QPointF a, QPointF b) { return qFuzzyCompare(a.y() + 1.0, b.y() + 1.0); };
    for (std::size_t i = 0; i < points.size(); ++i) {
        const bool isInside = i > 0 && i + 1 < points.size();
        if (isInside && isLevel(points[i - 1], points[i]) && isLevel(points[i], points[i + 1]))
            continue;
        if (isFirst && i == 0)
            path.moveTo(points[i]);
        else
            path.lineTo(points[i]);
    }
}

// The outline of the columns [first, last): steps at their edges, or slopes between their middles.
void addStretch(
    QPainterPath& path, const plot::Columns& columns, std::size_t first, std::size_t last) {
    const double step = columns.area.width / static_cast<double>(columns.top.size());
    const auto xOf = [&](double column) { return columns.area.x + step * column; };
    std::vector<QPointF> top;
    std::vector<QPointF> bottom;
    const auto add = [&](double column, std::size_t of) {
        top.emplace_back(xOf(column), columns.top[of]);
        bottom.emplace_back(xOf(column), columns.bottom[of]);
    };
    for (std::size_t i = first; i < last; ++i) {
        const auto left = static_cast<double>(i);
        if (!columns.isSloped || i == first)
            add(left, i);
        if (columns.isSloped)
            add(left + 0.5, i);
        if (!columns.isSloped || i + 1 == last)
            add(left + 1.0, i);
    }
    std::ranges::reverse(bottom);
    addEdge(path, top, true);
    addEdge(path, bottom, false);
    path.closeSubpath();
}

} // namespace

QPainterPath columnsPath(const plot::Columns& columns) {
    QPainterPath path;
    path.setFillRule(Qt::WindingFill);
    const std::size_t count = columns.top.size();
    for (std::size_t i = 0; i < count; ++i) {
        if (std::isnan(columns.top[i]))
            continue;
        std::size_t end = i + 1;
        while (end < count && !std::isnan(columns.top[end]))
            ++end;
        addStretch(path, columns, i, end);
        i = end;
    }
    return path;
}

std::vector<ColoredRect> mergedCells(const plot::HeatStrip& strip) {
    std::vector<ColoredRect> rects;
    const auto columns = static_cast<std::size_t>(strip.columns);
    const double width = strip.area.width / strip.columns;
    const double height = strip.area.height / strip.rows;
    for (int row = 0; row < strip.rows; ++row) {
        const auto* cells = strip.cells.data() + static_cast<std::size_t>(row) * columns;
        const double below = row + 1 < strip.rows ? std::min(kOverlap, height / 2.0) : 0.0;
        for (std::size_t i = 0; i < columns;) {
            std::size_t end = i + 1;
            while (end < columns && cells[end] == cells[i])
                ++end;
            const double beside
                = end < columns && cells[end].a > 0 ? std::min(kOverlap, width) : 0.0;
            if (cells[i].a > 0)
                rects.push_back(
                    {{strip.area.x + width * static_cast<double>(i), strip.area.y + height * row,
                         width * static_cast<double>(end - i) + beside, height + below},
                        cells[i]});
            i = end;
        }
    }
    return rects;
}

std::vector<std::pair<plot::Point, plot::Point>> hatchLines(
    const plot::Rect& rect, double spacing) {
    std::vector<std::pair<plot::Point, plot::Point>> lines;
    // Each line is x + y = sum; the sums are multiples of the spacing, so that neighbouring hatches
    // meet.
    const double first = std::ceil((rect.x + rect.y) / spacing) * spacing;
    for (double sum = first; sum < rect.right() + rect.bottom(); sum += spacing) {
        const double x0 = std::max(rect.x, sum - rect.bottom());
        const double x1 = std::min(rect.right(), sum - rect.y);
        if (x1 > x0)
            lines.push_back({{x0, sum - x0}, {x1, sum - x1}});
    }
    return lines;
}

} // namespace trainscope::app
