#include "app/painting/VectorShapes.h"

#include <algorithm>
#include <cmath>

namespace trainscope::app {

namespace {

constexpr double kOverlap = 0.25;

// One edge of the outline through the middles of the columns, without points on a straight line.
class Edge {
public:
    explicit Edge(QPainterPath& path)
        : m_path(path) { }
    void add(QPointF point) {
        if (m_count >= 2 && isStraight(point)) {
            m_last = point;
            return;
        }
        flush();
        m_before = m_last;
        m_last = point;
        m_pending = true;
        ++m_count;
    }
    void flush() {
        if (!m_pending)
            return;
        if (m_started)
            m_path.lineTo(m_last);
        else
            m_path.moveTo(m_last);
        m_started = true;
        m_before = m_last;
        m_pending = false;
    }
    void restart() { m_count = 0; }

private:
    [[nodiscard]] bool isStraight(QPointF point) const {
        return m_pending && qFuzzyCompare(m_before.y() + 1.0, m_last.y() + 1.0)
            && qFuzzyCompare(m_last.y() + 1.0, point.y() + 1.0);
    }

    QPainterPath& m_path;
    QPointF m_before;
    QPointF m_last;
    int m_count = 0;
    bool m_pending = false;
    bool m_started = false;
};

void addStretch(
    QPainterPath& path, const plot::Columns& columns, std::size_t first, std::size_t last) {
    const double step = columns.area.width / static_cast<double>(columns.top.size());
    const auto leftOf
        = [&](std::size_t i) { return columns.area.x + step * static_cast<double>(i); };
    Edge edge(path);
    edge.add({leftOf(first), columns.top[first]});
    for (std::size_t i = first; i < last; ++i)
        edge.add({leftOf(i) + step / 2.0, columns.top[i]});
    edge.add({leftOf(last), columns.top[last - 1]});
    edge.flush();
    edge.restart();
    edge.add({leftOf(last), columns.bottom[last - 1]});
    for (std::size_t i = last; i > first; --i)
        edge.add({leftOf(i - 1) + step / 2.0, columns.bottom[i - 1]});
    edge.add({leftOf(first), columns.bottom[first]});
    edge.flush();
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
