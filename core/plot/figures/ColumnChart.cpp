#include "core/plot/figures/ColumnChart.h"

#include "core/plot/Palette.h"
#include "core/plot/figures/PanelBuild.h"
#include "core/text/NumberMarks.h"
#include "core/text/Table.h"

#include <cmath>

namespace trainscope::plot {

namespace {

constexpr double kDot = 4.0; // diameter of a point
constexpr double kApart = 2.0; // points nearer than this are one
constexpr double kReach = 8.0; // distance from a point at which the pointer still means it
constexpr double kChartLines = 8.0; // lines of small text that a chart wants
constexpr int kMostXTicks = 8;
constexpr int kMostChartNoteLines = 2;

class ColumnDrawing {
public:
    ColumnDrawing(const Canvas& canvas, const ColumnChart& chart, Rect area)
        : m_canvas(canvas)
        , m_chart(chart)
        , m_area(area)
        , m_color(legibleOn(seriesColor(0), canvas.theme.window)) { }

    void draw() const {
        drawAxes();
        if (m_chart.isLine)
            drawLine();
        else
            drawPoints();
    }

private:
    [[nodiscard]] Point placeOf(Point value) const {
        return {m_area.x + m_area.width * fractionOf(m_chart.x, value.x),
            m_area.bottom() - m_area.height * fractionOf(m_chart.y, value.y)};
    }

    // As many as leave each other's numbers room.
    [[nodiscard]] std::vector<ValueTick> xTicks() const {
        for (int most = kMostXTicks; most > 1; --most) {
            auto ticks = ticksOf(m_chart.x, most);
            double widest = 0.0;
            for (const auto& tick : ticks)
                widest = std::max(widest, m_canvas.width(tick.label));
            const double distance = ticks.size() < 2
                ? m_area.width
                : placeOf({ticks[1].value, 0.0}).x - placeOf({ticks[0].value, 0.0}).x;
            if (widest + m_canvas.size() <= distance)
                return ticks;
        }
        return ticksOf(m_chart.x, 1);
    }

    void drawAxes() const {
        for (const auto& tick : ticksOf(m_chart.y, mostTicks(m_canvas, m_area.height))) {
            const double y = placeOf({m_chart.x.range.low, tick.value}).y;
            m_canvas.line({m_area.x, y}, {m_area.right(), y}, m_canvas.theme.line);
            m_canvas.note(
                {m_area.x - m_canvas.gap(), m_canvas.centred(y)}, tick.label, Align::Right);
        }
        const double below = m_area.bottom() + m_canvas.gap() + m_canvas.size();
        for (const auto& tick : xTicks()) {
            const double x = placeOf({tick.value, m_chart.y.range.low}).x;
            m_canvas.line({x, m_area.bottom()}, {x, m_area.bottom() + 0.5 * m_canvas.gap()},
                m_canvas.theme.textSecondary);
            m_canvas.note({x, below}, tick.label, Align::Centre);
        }
        m_canvas.line({m_area.x, m_area.bottom()}, {m_area.right(), m_area.bottom()},
            m_canvas.theme.textSecondary);
        m_canvas.note({m_area.x + m_area.width / 2.0, below + m_canvas.lineHeight()},
            axisTitle(m_chart.x), Align::Centre);
        m_canvas.heading({m_area.x, m_area.y - 1.5 * m_canvas.gap()}, axisTitle(m_chart.y),
            m_area.width, TextRole::Small);
    }

    void drawPoints() const {
        const auto cells = [](double length) {
            return static_cast<std::size_t>(std::max(length, 0.0) / kApart) + 1;
        };
        const std::size_t columns = cells(m_area.width);
        std::vector<bool> taken(columns * cells(m_area.height));
        for (const Point& point : m_chart.points) {
            const Point at = placeOf(point);
            const std::size_t cell = (cells(at.y - m_area.y) - 1) * columns
                + std::min(cells(at.x - m_area.x), columns) - 1;
            if (cell >= taken.size() || taken[cell])
                continue;
            taken[cell] = true;
            m_canvas.dot(at, kDot, m_color);
        }
    }

    // Per column of pixels the first, the lowest, the highest and the last of its points.
    void drawLine() const {
        std::vector<Point> places;
        places.reserve(m_chart.points.size());
        for (const Point& point : m_chart.points)
            places.push_back(placeOf(point));
        std::ranges::stable_sort(places, {}, &Point::x);
        Polyline line{{}, m_color, 1.5 * m_canvas.theme.lineWidth};
        for (auto at = places.begin(); at != places.end();) {
            const double column = std::floor(at->x);
            const auto end = std::find_if(
                at, places.end(), [column](const Point& place) { return place.x >= column + 1.0; });
            addColumn(at, end, line);
            at = end;
        }
        if (line.points.size() == 1)
            m_canvas.dot(line.points.front(), kDot, m_color);
        else
            m_canvas.scene.items.emplace_back(std::move(line));
    }

    using Places = std::vector<Point>::const_iterator;
    static void addColumn(Places from, Places to, Polyline& line) {
        const auto [high, low] = std::minmax_element(
            from, to, [](const Point& a, const Point& b) { return a.y < b.y; });
        std::set<Places> kept{from, high, low, std::prev(to)};
        for (const Places& place : kept)
            line.points.push_back(*place);
    }

    const Canvas& m_canvas;
    const ColumnChart& m_chart;
    Rect m_area;
    Color m_color;
};

std::string numberText(const FigureAxis& axis, double value) {
    return axis.siUnit.empty() ? fmt::format("{:.6g}", text::worded(value))
                               : valueText(axis, value);
}

// The point next to the place, as near as the pointer can mean. Places are from the corner of the
// hit's outline, which reaches beyond the axes.
void tellNearest(const ColumnChart& chart, Point at, Hit& hit) {
    const Rect area{
        kReach, kReach, hit.outline.width - 2.0 * kReach, hit.outline.height - 2.0 * kReach};
    const Point* nearest = nullptr;
    Point place;
    double least = kReach * kReach;
    for (const Point& point : chart.points) {
        const double x = area.x + area.width * fractionOf(chart.x, point.x);
        const double y = area.bottom() - area.height * fractionOf(chart.y, point.y);
        const double distance = (x - at.x) * (x - at.x) + (y - at.y) * (y - at.y);
        if (distance > least)
            continue;
        least = distance;
        nearest = &point;
        place = {x, y};
    }
    if (nearest == nullptr)
        return;
    hit.outline
        = {hit.outline.x + place.x - kDot, hit.outline.y + place.y - kDot, 2.0 * kDot, 2.0 * kDot};
    hit.title = numberText(chart.y, nearest->y);
    hit.facts.emplace_back(chart.x.title, numberText(chart.x, nearest->x));
    hit.facts.emplace_back(chart.y.title, numberText(chart.y, nearest->y));
}

} // namespace

FigureAxis columnAxis(std::string title, std::string unit, const std::vector<double>& values) {
    return axisOf(std::move(title), {}, std::move(unit), values, false);
}

Picture buildColumnChart(const ColumnChart& chart, const FigureStyle& style) {
    Picture picture;
    Sheet sheet(picture, style);
    const double below = 2.0 * sheet.lineHeight() + sheet.gap();
    const Rect room = sheet.open(
        chart, panelHead(sheet) + kChartLines * sheet.lineHeight() + below, kMostChartNoteLines);
    const double left = ticksWidth(sheet, chart.y, kChartLines * sheet.lineHeight());
    // The last tick may stand at the end of the axis, with half of its text beyond.
    const auto ticks = ticksOf(chart.x, kMostXTicks);
    const double right = ticks.empty() ? 0.0 : sheet.width(ticks.back().label) / 2.0;
    const Rect area{room.x + left, room.y + panelHead(sheet),
        std::max(room.width - left - right, 1.0),
        std::max(room.height - panelHead(sheet) - below, kLeastPlot * sheet.lineHeight())};
    ColumnDrawing(sheet, chart, area).draw();
    picture.areas.push_back(area);
    // One for all points: there may be millions.
    picture.targets.push_back(
        {{area.x - kReach, area.y - kReach, area.width + 2.0 * kReach, area.height + 2.0 * kReach},
            {}, [&chart](Hit& hit, const Spot& spot) { tellNearest(chart, spot.at, hit); }});
    sheet.close();
    return picture;
}

std::string columnChartCsv(const ColumnChart& chart) {
    std::string csv = text::csvCell(chart.x.title) + ',' + text::csvCell(chart.y.title) + '\n';
    for (const Point& point : chart.points)
        csv += fmt::format("{},{}\n", point.x, point.y);
    return csv;
}

} // namespace trainscope::plot
