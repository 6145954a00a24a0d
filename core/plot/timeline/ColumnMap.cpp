#include "core/plot/timeline/LaneFrame.h"

namespace trainscope::plot {

namespace {

// Place of the columns of some data on the screen.
struct Placed {
    double left = 0.0;
    double width = 0.0;
    int count = 0;

    [[nodiscard]] bool contains(double x) const { return x >= left && x < left + width; }
    [[nodiscard]] int columnAt(double x) const {
        return std::clamp(static_cast<int>((x - left) / width * count), 0, count - 1);
    }
    // A column belongs to the pixel in which it starts; the last quarter pixel guards against
    // rounding.
    [[nodiscard]] ColumnMap::Source between(double from, double to, bool behind) const {
        const int first = columnAt(from);
        return {first, std::max(first, columnAt(to - 0.25 * (to - from))), behind};
    }
};

Placed place(const TimelineData& data, const TimeScale& scale) {
    const double left = scale.toX(data.window.begin);
    return {left, scale.toX(data.window.end) - left, data.columns};
}

void countUp(ColumnMap& map, int first, int count) {
    map.isShift = true;
    map.first = first;
    for (int i = 0; i < count; ++i)
        map.columns.push_back({first + i, first + i, false});
}

// Columns of the screen's width whose edges are whole multiples of it in view time, so that a
// window that is panned shows the same ones again.
class ScreenColumns {
public:
    ScreenColumns(const TimeScale& scale, double perUnit)
        : m_x(scale.x)
        , m_perUnit(perUnit) {
        const double ns = static_cast<double>(scale.window.length().ns) / (scale.width * perUnit);
        const double place = static_cast<double>(scale.window.begin.ns) / ns;
        m_first = std::llround(place);
        m_phase = static_cast<double>(m_first) - place;
    }
    // Places of column i of the window: on the screen, and in its data.
    [[nodiscard]] double xOf(int i) const { return m_x + i / m_perUnit; }
    [[nodiscard]] double dataX(int i) const { return m_x + (i + m_phase) / m_perUnit; }
    [[nodiscard]] int indexOf(double x) const {
        return static_cast<int>(std::lround((x - m_x) * m_perUnit));
    }
    [[nodiscard]] std::int64_t first() const { return m_first; }

private:
    double m_x;
    double m_perUnit;
    std::int64_t m_first = 0;
    double m_phase = 0.0; // within half a column
};

} // namespace

ColumnMap mapColumns(const TimelineData& data, const TimeScale& scale, double columnsPerUnit) {
    ColumnMap map;
    const int count = data.columns;
    if (count <= 0 || scale.width <= 0.0 || scale.window.length().ns <= 0)
        return map;
    if (data.window == scale.window) {
        map.area = {scale.x, 0.0, scale.width, 0.0};
        countUp(map, 0, count);
        return map;
    }
    const Placed own = place(data, scale);
    const Placed behind = data.behind ? place(*data.behind, scale) : own;
    const double left = std::max(std::min(own.left, behind.left), scale.x);
    const double right
        = std::min(std::max(own.left + own.width, behind.left + behind.width), scale.right());
    if (right - left < 1.0)
        return map;
    const bool covered = own.left <= left && own.left + own.width >= right;
    // Data of the screen's resolution is only moved: resampling it would make the picture crawl.
    if (covered && std::abs(own.width * columnsPerUnit - count) < 1.0) {
        const int drawn = static_cast<int>(std::ceil((right - left) * columnsPerUnit));
        const auto first = static_cast<int>(std::lround((left - own.left) * columnsPerUnit));
        if (first + drawn <= count) {
            map.area = {left, 0.0, right - left, 0.0};
            countUp(map, first, drawn);
            return map;
        }
    }
    const ScreenColumns screen(scale, columnsPerUnit);
    const int from = screen.indexOf(left);
    const int to = std::max(screen.indexOf(right), from + 1);
    map.area = {screen.xOf(from), 0.0, screen.xOf(to) - screen.xOf(from), 0.0};
    map.area.width = std::min(map.area.width, scale.right() - map.area.x);
    map.first = screen.first() + from;
    for (int i = from; i < to; ++i) {
        const double x = screen.dataX(i);
        const double next = screen.dataX(i + 1);
        const double middle = 0.5 * (x + next);
        if (own.contains(middle))
            map.columns.push_back(own.between(x, next, false));
        else if (data.behind && behind.contains(middle))
            map.columns.push_back(behind.between(x, next, true));
        else
            map.columns.push_back({-1, -1, false});
    }
    return map;
}

std::optional<std::size_t> columnAt(
    std::size_t columns, const ViewWindow& window, DurationNs time) {
    if (columns == 0 || time < window.begin || time >= window.end)
        return std::nullopt;
    const double place
        = static_cast<double>((time - window.begin).ns) / static_cast<double>(window.length().ns);
    return std::min(static_cast<std::size_t>(place * static_cast<double>(columns)), columns - 1);
}

} // namespace trainscope::plot
