// Operators over the roofs of their GPU: speed against arithmetic intensity, both logarithmic,
// points as large as their time is long.
#include "core/plot/Palette.h"
#include "core/plot/RunInk.h"
#include "core/plot/figures/FigureParts.h"
#include "core/plot/figures/PanelBuild.h"
#include "core/plot/operators/OperatorsSheet.h"
#include "core/plot/operators/OperatorsText.h"
#include "core/text/Numbers.h"
#include "core/text/Times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trainscope::plot {

namespace {

constexpr double kRooflineLines = 18.0; // of small text
constexpr double kPrintedLines = 30.0;
constexpr double kLeastPoint = 0.5; // diameters, in sizes of small text
constexpr double kMostPoint = 3.0;
constexpr std::size_t kMostNamed = 14;
constexpr double kOutline = 1.5; // of a point, against those below it
constexpr double kBeyondRoof = 1.6; // of the highest roof, where the plot ends

bool hasPlace(const MeasuredOperator& one) {
    const auto& known = one.efficiency;
    return known.intensity && known.flopPerSecond && *known.intensity > 0.0
        && *known.flopPerSecond > 0.0;
}

double decadeBelow(double value) {
    return std::pow(10.0, std::floor(std::log10(value)));
}

bool touch(const Rect& one, const Rect& other) {
    return one.x < other.right() && other.x < one.right() && one.y < other.bottom()
        && other.y < one.bottom();
}

class RooflineBuilder {
public:
    RooflineBuilder(const RooflineFigureData& data, const FigureStyle& style)
        : m_data(data)
        , m_sheet(data.head, style, m_geometry)
        , m_colours(data.operators) { }

    OperatorsGeometry build() {
        if (m_data.isEmpty()) {
            m_sheet.drawEmpty();
            return std::move(m_geometry);
        }
        for (std::size_t i = 0; i < m_data.operators.size(); ++i) {
            if (!hasPlace(m_data.operators[i]))
                continue;
            m_shown.push_back(i);
            m_colours.draw(m_data.operators[i]);
        }
        makeAxes();
        m_sheet.setLegend(m_colours.legend());
        placePlot(m_sheet.open(
            (isPrinted(m_sheet.theme) ? kPrintedLines : kRooflineLines) * m_sheet.lineHeight()));
        drawAxes();
        drawRoofs();
        drawPoints();
        drawNames();
        return std::move(m_geometry);
    }

private:
    [[nodiscard]] double highestRoof() const {
        double highest = 0.0;
        for (const Roof& roof : m_data.roofs)
            highest = std::max(highest, roof.flopPerSecond);
        return highest;
    }

    void makeAxes() {
        double left = 1.0;
        double right = 1.0;
        double low = 1e30;
        double high = kBeyondRoof * highestRoof();
        for (const std::size_t i : m_shown) {
            const auto& known = m_data.operators[i].efficiency;
            left = std::min(left, *known.intensity);
            right = std::max(right, *known.intensity);
            low = std::min(low, *known.flopPerSecond);
            high = std::max(high, *known.flopPerSecond);
        }
        if (m_data.bandwidth && highestRoof() > 0.0)
            right = std::max(right, 4.0 * highestRoof() / *m_data.bandwidth);
        m_x.title = "Arithmetic intensity";
        m_x.siUnit = "FLOP/B";
        m_x.unit = {"FLOP/B", 1.0};
        m_x.log = m_y.log = true;
        m_x.range = {decadeBelow(left), 1.5 * right};
        m_y.title = "Speed";
        m_y.siUnit = "FLOP/s";
        m_y.unit = {"", 1.0}; // each tick has its own: there are many decades
        m_y.range = {decadeBelow(low), 1.3 * high};
    }

    [[nodiscard]] std::vector<FigureTick> speedTicks(double height) const {
        auto ticks = ticksOf(m_y, mostTicks(m_sheet, height));
        for (FigureTick& tick : ticks)
            tick.label = text::quantity(tick.value, m_y.siUnit, text::Digits::Three);
        return ticks;
    }

    void placePlot(const Rect& area) {
        double labels = 0.0;
        for (const FigureTick& tick : speedTicks(area.height))
            labels = std::max(labels, m_sheet.width(tick.label));
        const double left = area.x + labels + 2.0 * m_sheet.gap();
        const double top = area.y + m_sheet.lineHeight() + 1.5 * m_sheet.gap();
        const double below = 2.0 * m_sheet.lineHeight() + 2.0 * m_sheet.gap();
        m_geometry.area = {left, top, std::max(area.right() - left - 2.0 * m_sheet.gap(), 1.0),
            std::max(area.bottom() - top - below, 1.0)};
        m_sheet.note({area.x, area.y + m_sheet.size()}, axisTitle(m_y));
    }

    [[nodiscard]] Point placeOf(double intensity, double flopPerSecond) const {
        const Rect& plot = m_geometry.area;
        return {plot.x + plot.width * fractionOf(m_x, intensity),
            plot.bottom() - plot.height * fractionOf(m_y, flopPerSecond)};
    }

    void drawAxes() const {
        const Rect& plot = m_geometry.area;
        const Theme& theme = m_sheet.theme;
        for (const FigureTick& tick : speedTicks(plot.height)) {
            const double y = placeOf(m_x.range.low, tick.value).y;
            m_sheet.line({plot.x, y}, {plot.right(), y}, theme.grid);
            m_sheet.note({plot.x - m_sheet.gap(), m_sheet.centred(y)}, tick.label, Align::Right);
        }
        const int most = std::max(2, static_cast<int>(plot.width / (4.0 * m_sheet.size())));
        const double baseline = plot.bottom() + m_sheet.gap() + m_sheet.size();
        for (const FigureTick& tick : ticksOf(m_x, most)) {
            const double x = placeOf(tick.value, m_y.range.low).x;
            m_sheet.line({x, plot.y}, {x, plot.bottom()}, theme.grid);
            m_sheet.note({x, baseline}, tick.label, Align::Centre);
        }
        m_sheet.note({plot.x + plot.width / 2.0, baseline + m_sheet.lineHeight()}, axisTitle(m_x),
            Align::Centre);
    }

    // The slope of the memory up to the highest roof, and each roof from the slope to the right.
    void drawRoofs() {
        const Theme& theme = m_sheet.theme;
        const double width = 1.5 * theme.lineWidth;
        for (const Roof& roof : m_data.roofs) {
            const double ridge = m_data.bandwidth ? roof.flopPerSecond / *m_data.bandwidth : 0.0;
            const Point from = placeOf(std::max(ridge, m_x.range.low), roof.flopPerSecond);
            m_sheet.line(from, {m_geometry.area.right(), from.y}, theme.textSecondary, width);
            const std::string words = fmt::format("{} {}", roof.name,
                text::quantity(roof.flopPerSecond, "FLOP/s", text::Digits::Three));
            nameRoof({m_geometry.area.right(), from.y}, words);
        }
        if (m_data.bandwidth)
            drawSlope(*m_data.bandwidth, width);
    }

    // Above its line, or below where another name or line is too near.
    void nameRoof(const Point& end, const std::string& words) {
        const double wide = m_sheet.width(words);
        Rect room{end.x - wide, end.y - m_sheet.gap() - m_sheet.size(), wide, m_sheet.size()};
        const auto isNear = [&](const Roof& other) {
            const double y = placeOf(m_x.range.high, other.flopPerSecond).y;
            return y < end.y && y > room.y - m_sheet.gap();
        };
        if (std::any_of(m_data.roofs.begin(), m_data.roofs.end(), isNear))
            room.y = end.y + m_sheet.gap();
        m_sheet.note({end.x, room.bottom()}, words, Align::Right);
        m_taken.push_back(room);
    }

    void drawSlope(double bandwidth, double width) {
        const double top = highestRoof() > 0.0 ? highestRoof() : m_y.range.high;
        const double left = std::max(m_x.range.low, m_y.range.low / bandwidth);
        const double right = std::min(m_x.range.high, top / bandwidth);
        if (right <= left)
            return;
        const Point from = placeOf(left, left * bandwidth);
        const Point to = placeOf(right, right * bandwidth);
        m_sheet.line(from, to, m_sheet.theme.textSecondary, width);
        const double angle = std::atan2(to.y - from.y, to.x - from.x) * 180.0 / std::numbers::pi;
        const std::string words = "memory " + text::quantity(bandwidth, "B/s", text::Digits::Three);
        const double along = std::hypot(to.x - from.x, to.y - from.y);
        if (m_sheet.width(words) > 0.7 * along)
            return;
        // Above the line, before the ridge.
        const double share = 0.9 - m_sheet.width(words) / along;
        const Point at{from.x + share * (to.x - from.x) - m_sheet.gap(),
            from.y + share * (to.y - from.y) - m_sheet.gap()};
        m_sheet.text(
            at, words, m_sheet.theme.textSecondary, TextRole::Small, Align::Left, false, angle);
    }

    [[nodiscard]] double diameterOf(const MeasuredOperator& one) const {
        const double longest = static_cast<double>(m_data.operators[m_shown.front()].busy.ns);
        const double share = longest > 0.0 ? static_cast<double>(one.busy.ns) / longest : 0.0;
        return m_sheet.size() * std::clamp(kMostPoint * std::sqrt(share), kLeastPoint, kMostPoint);
    }

    void drawPoints() {
        std::stable_sort(m_shown.begin(), m_shown.end(), [this](std::size_t a, std::size_t b) {
            return m_data.operators[a].busy > m_data.operators[b].busy;
        });
        for (const std::size_t i : m_shown) {
            const MeasuredOperator& one = m_data.operators[i];
            const Point at = placeOf(*one.efficiency.intensity, *one.efficiency.flopPerSecond);
            const double wide = diameterOf(one);
            m_sheet.dot(at, wide + kOutline * m_sheet.theme.lineWidth, m_sheet.theme.window);
            m_sheet.dot(at, wide, legibleOn(m_colours.of(one), m_sheet.theme.window, 2.0));
            m_sheet.target({at.x - wide / 2.0, at.y - wide / 2.0, wide, wide}, i);
        }
    }

    // The longest are named, where there is room beside their points.
    void drawNames() {
        std::size_t named = 0;
        for (std::size_t place = 0; place < m_shown.size() && named < kMostNamed; ++place) {
            const Rect& point = m_geometry.targets[place].rect;
            const auto& one = m_data.operators[m_shown[place]];
            const std::string words = m_sheet.fitted(one.name, 16.0 * m_sheet.size());
            const auto room = roomBeside(point, m_sheet.width(words), place);
            if (!room)
                continue;
            m_sheet.text({room->x, room->y + m_sheet.size() - 0.14 * m_sheet.size()}, words,
                m_sheet.theme.text);
            m_taken.push_back(*room);
            ++named;
        }
    }

    [[nodiscard]] std::optional<Rect> roomBeside(
        const Rect& point, double width, std::size_t place) const {
        const double high = m_sheet.size();
        const double middle = point.y + point.height / 2.0 - high / 2.0;
        const double space = 0.75 * m_sheet.gap();
        const double centred = point.x + point.width / 2.0 - width / 2.0;
        for (const Rect& room : {Rect{point.right() + space, middle, width, high},
                 Rect{point.x - space - width, middle, width, high},
                 Rect{centred, point.y - space - high, width, high},
                 Rect{centred, point.bottom() + space, width, high}}) {
            if (isFree(room, place))
                return room;
        }
        return std::nullopt;
    }

    [[nodiscard]] bool isFree(const Rect& room, std::size_t place) const {
        const Rect& plot = m_geometry.area;
        const bool isInside = room.x >= plot.x && room.right() <= plot.right() && room.y >= plot.y
            && room.bottom() <= plot.bottom();
        if (!isInside)
            return false;
        const bool isTaken = std::any_of(m_taken.begin(), m_taken.end(),
            [&room](const Rect& taken) { return touch(room, taken); });
        if (isTaken)
            return false;
        for (std::size_t other = 0; other < std::min(m_shown.size(), 2 * kMostNamed); ++other) {
            if (other != place && touch(room, m_geometry.targets[other].rect))
                return false;
        }
        return true;
    }

    const RooflineFigureData& m_data;
    OperatorsGeometry m_geometry;
    OperatorsSheet m_sheet;
    OperatorColours m_colours;
    FigureAxis m_x;
    FigureAxis m_y;
    std::vector<std::size_t> m_shown; // with a place
    std::vector<Rect> m_taken; // by texts
};

} // namespace

bool RooflineFigureData::isEmpty() const {
    return std::none_of(operators.begin(), operators.end(), hasPlace);
}

OperatorsGeometry buildRoofline(const RooflineFigureData& data, const FigureStyle& style) {
    return RooflineBuilder(data, style).build();
}

std::optional<FigureHit> hitRoofline(
    const RooflineFigureData& data, const OperatorsGeometry& geometry, Point at) {
    const auto* target = targetAt(geometry, at);
    return target == nullptr ? std::nullopt
                             : std::optional(operatorHit(*target, data.operators[target->index]));
}

} // namespace trainscope::plot
