// Operators over the roofs of their GPU: speed against arithmetic intensity, both logarithmic,
// points as large as their time is long.
#include "core/plot/Palette.h"
#include "core/plot/TextFit.h"
#include "core/plot/figures/FigureParts.h"
#include "core/plot/figures/PanelBuild.h"
#include "core/plot/operators/OperatorsText.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace trainscope::plot {

namespace {

constexpr double kRooflineLines = 18.0; // height in lines of small text
constexpr double kPrintedLines = 30.0;
constexpr double kLeastPoint = 0.5; // diameters, in sizes of small text
constexpr double kMostPoint = 3.0;
constexpr std::size_t kMostNamed = 14;
constexpr double kNameHeight = 1.2; // sizes, with what hangs below the line
constexpr double kOutline = 1.5; // around a point, against those below it
constexpr double kAboveRoofs = 0.08; // share of the height, for a name above the highest roof
constexpr double kAbovePoints = 1.3; // times the fastest
constexpr double kBesidePoints = 2.0; // below the slowest and beside the leftmost, as a ratio

class RooflineBuilder {
public:
    RooflineBuilder(const RooflineFigureData& data, const FigureStyle& style)
        : m_data(data)
        , m_sheet(m_picture, style)
        , m_colours(data.operators) { }

    Picture build() {
        if (m_data.isEmpty()) {
            m_sheet.drawEmpty(m_data.head);
            return std::move(m_picture);
        }
        for (std::size_t i = 0; i < m_data.operators.size(); ++i) {
            if (!isOnRoofline(m_data.operators[i]))
                continue;
            m_shown.push_back(i);
            m_colours.draw(m_data.operators[i]);
        }
        makeAxes();
        m_sheet.setLegend(m_colours.legend());
        placePlot(m_sheet.open(m_data.head,
            (isPrinted(m_sheet.theme) ? kPrintedLines : kRooflineLines) * m_sheet.lineHeight()));
        m_picture.areas.push_back(m_area);
        drawAxes();
        drawRoofs();
        drawPoints();
        nameAll();
        return std::move(m_picture);
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
        double high = highestRoof();
        for (const std::size_t i : m_shown) {
            const auto& known = m_data.operators[i].efficiency;
            left = std::min(left, *known.intensity);
            right = std::max(right, *known.intensity);
            low = std::min(low, *known.flopPerSecond);
            high = std::max(high, kAbovePoints * *known.flopPerSecond);
        }
        if (m_data.bandwidth && highestRoof() > 0.0)
            right = std::max(right, 4.0 * highestRoof() / *m_data.bandwidth);
        m_x.title = "Arithmetic intensity";
        m_x.siUnit = "FLOP/B";
        m_x.unit = {"FLOP/B", 1.0};
        m_x.log = m_y.log = true;
        m_x.range = {left / kBesidePoints, 1.5 * right};
        m_y.title = "Speed";
        m_y.siUnit = "FLOP/s";
        m_y.unit = {"", 1.0}; // each tick has its own: there are many decades
        const double lowest = low / kBesidePoints;
        const double decades = std::log10(high / lowest);
        m_y.range = {lowest, std::max(high, highestRoof() * std::pow(10.0, kAboveRoofs * decades))};
    }

    [[nodiscard]] std::vector<ValueTick> speedTicks(double height) const {
        auto ticks = ticksOf(m_y, mostTicks(m_sheet, height));
        for (ValueTick& tick : ticks)
            tick.label = text::quantity(tick.value, m_y.siUnit, text::Digits::Three);
        return ticks;
    }

    void placePlot(const Rect& area) {
        m_sheet.close();
        double labels = 0.0;
        for (const ValueTick& tick : speedTicks(area.height))
            labels = std::max(labels, m_sheet.width(tick.label));
        const double left = area.x + labels + 2.0 * m_sheet.gap();
        const double top = area.y + m_sheet.lineHeight() + 1.5 * m_sheet.gap();
        const double below = 2.0 * m_sheet.lineHeight() + 2.0 * m_sheet.gap();
        m_area = {left, top, std::max(area.right() - left - 2.0 * m_sheet.gap(), 1.0),
            std::max(area.bottom() - top - below, 1.0)};
        m_sheet.note({area.x, area.y + m_sheet.size()}, axisTitle(m_y));
    }

    [[nodiscard]] Point placeOf(double intensity, double flopPerSecond) const {
        const Rect& plot = m_area;
        return {plot.x + plot.width * fractionOf(m_x, intensity),
            plot.bottom() - plot.height * fractionOf(m_y, flopPerSecond)};
    }

    void drawAxes() const {
        const Rect& plot = m_area;
        const Theme& theme = m_sheet.theme;
        for (const ValueTick& tick : speedTicks(plot.height)) {
            const double y = placeOf(m_x.range.low, tick.value).y;
            m_sheet.line({plot.x, y}, {plot.right(), y}, theme.grid);
            m_sheet.note({plot.x - m_sheet.gap(), m_sheet.centred(y)}, tick.label, Align::Right);
        }
        const int most = std::max(2, static_cast<int>(plot.width / (4.0 * m_sheet.size())));
        const double baseline = plot.bottom() + m_sheet.gap() + m_sheet.size();
        for (const ValueTick& tick : ticksOf(m_x, most)) {
            const double x = placeOf(tick.value, m_y.range.low).x;
            m_sheet.line({x, plot.y}, {x, plot.bottom()}, theme.grid);
            m_sheet.note({x, baseline}, tick.label, Align::Centre);
        }
        m_sheet.note({plot.x + plot.width / 2.0, baseline + m_sheet.lineHeight()}, axisTitle(m_x),
            Align::Centre);
    }

    [[nodiscard]] double ridgeOf(const Roof& roof) const {
        const double ridge = m_data.bandwidth ? roof.flopPerSecond / *m_data.bandwidth : 0.0;
        return std::clamp(ridge, m_x.range.low, m_x.range.high);
    }
    [[nodiscard]] double heightOf(const Roof& roof) const {
        return placeOf(m_x.range.high, roof.flopPerSecond).y;
    }
    // The memory's slope up to the highest roof; absent where none of it is in the plot.
    [[nodiscard]] std::optional<Slant> slope() const {
        if (!m_data.bandwidth)
            return std::nullopt;
        const double bandwidth = *m_data.bandwidth;
        const double top = highestRoof() > 0.0 ? highestRoof() : m_y.range.high;
        const double left = std::max(m_x.range.low, m_y.range.low / bandwidth);
        const double right = std::min(m_x.range.high, top / bandwidth);
        if (right <= left)
            return std::nullopt;
        return Slant{placeOf(left, left * bandwidth), placeOf(right, right * bandwidth),
            m_sheet.theme.lineWidth};
    }

    // The slope, and each roof from the slope to the right.
    void drawRoofs() const {
        const Theme& theme = m_sheet.theme;
        const double width = 1.5 * theme.lineWidth;
        for (const Roof& roof : m_data.roofs)
            m_sheet.line(placeOf(ridgeOf(roof), roof.flopPerSecond),
                {m_area.right(), heightOf(roof)}, theme.textSecondary, width);
        if (const auto line = slope())
            m_sheet.line(line->from, line->to, theme.textSecondary, width);
    }

    // Points with the fewest places for a name come first.
    void nameAll() const {
        LabelRoom room(m_area);
        for (const auto& point : m_picture.targets)
            room.take(point.rect);
        for (const Roof& roof : m_data.roofs) {
            const double left = placeOf(ridgeOf(roof), roof.flopPerSecond).x;
            room.take(Rect{left, heightOf(roof), m_area.right() - left, 0.0});
        }
        nameSlope(room);
        for (const Roof& roof : m_data.roofs)
            nameRoof(roof, room);
        nameOperators(room);
    }

    // Along the line, from its upper end down, above it before below it.
    void nameSlope(LabelRoom& room) const {
        const auto line = slope();
        if (!line)
            return;
        const std::string words = memoryText(*m_data.bandwidth);
        const double along = std::hypot(line->to.x - line->from.x, line->to.y - line->from.y);
        const Point step{(line->to.x - line->from.x) / along, (line->to.y - line->from.y) / along};
        const double wide = m_sheet.width(words);
        const double off = (m_sheet.gap() + kNameHeight * m_sheet.size()) / 2.0; // to its middle
        std::vector<Slant> places;
        for (const double side : {1.0, -1.0}) {
            for (double end = along - off; end >= wide; end -= m_sheet.size() / 2.0) {
                const Point to{line->from.x + end * step.x + side * off * step.y,
                    line->from.y + end * step.y - side * off * step.x};
                places.push_back({{to.x - wide * step.x, to.y - wide * step.y}, to,
                    kNameHeight * m_sheet.size()});
            }
        }
        if (const auto place = room.takeFirst(places))
            nameAlong(*place, words);
        room.take(*line);
    }

    void nameAlong(const Slant& place, const std::string& words) const {
        const double angle = std::atan2(place.to.y - place.from.y, place.to.x - place.from.x);
        const double down = m_sheet.centred(0.0); // from the text's middle to its baseline
        const Point at{
            place.from.x - down * std::sin(angle), place.from.y + down * std::cos(angle)};
        m_sheet.text(at, words, m_sheet.theme.textSecondary, TextRole::Small, Align::Left, false,
            angle * 180.0 / std::numbers::pi);
    }

    // Above or below its line, from the right end to the left, as long as most of it is there.
    void nameRoof(const Roof& roof, LabelRoom& room) const {
        const std::string words = roofText(roof);
        const double wide = m_sheet.width(words);
        const double high = m_sheet.size();
        const double y = heightOf(roof);
        const double least = placeOf(ridgeOf(roof), roof.flopPerSecond).x - wide / 2.0;
        std::vector<Rect> places;
        for (const double space : {m_sheet.gap() / 2.0, m_sheet.gap() / 4.0}) {
            for (double left = m_area.right() - wide; left >= least; left -= high / 2.0) {
                places.push_back({left, y - space - high, wide, high});
                places.push_back({left, y + space, wide, high});
            }
        }
        if (const auto place = room.takeFirst(places))
            m_sheet.note({place->x, m_sheet.centred(*place)}, words);
    }

    [[nodiscard]] double diameterOf(const MeasuredOperator& one) const {
        const double longest = static_cast<double>(m_data.operators[m_shown.front()].busy.ns);
        const double share = longest > 0.0 ? static_cast<double>(one.busy.ns) / longest : 0.0;
        return m_sheet.size() * std::clamp(kMostPoint * std::sqrt(share), kLeastPoint, kMostPoint);
    }

    void drawPoints() {
        std::ranges::stable_sort(m_shown, [this](std::size_t a, std::size_t b) {
            return m_data.operators[a].busy > m_data.operators[b].busy;
        });
        for (const std::size_t i : m_shown) {
            const MeasuredOperator& one = m_data.operators[i];
            const Point at = placeOf(*one.efficiency.intensity, *one.efficiency.flopPerSecond);
            const double wide = diameterOf(one);
            m_sheet.dot(at, wide + kOutline * m_sheet.theme.lineWidth, m_sheet.theme.window);
            m_sheet.dot(at, wide, legibleOn(m_colours.of(one), m_sheet.theme.window, 2.0));
            addOperator(
                m_sheet, {at.x - wide / 2.0, at.y - wide / 2.0, wide, wide}, m_data.operators, i);
        }
    }

    // The longest are named, where there is room beside their points.
    void nameOperators(LabelRoom& room) const {
        std::size_t named = 0;
        for (std::size_t place = 0; place < m_shown.size() && named < kMostNamed; ++place) {
            const auto& one = m_data.operators[m_shown[place]];
            const std::string words = m_sheet.fitted(one.name, 16.0 * m_sheet.size());
            const auto found
                = room.takeFirst(placesBeside(m_picture.targets[place].rect, m_sheet.width(words)));
            if (!found)
                continue;
            m_sheet.text({found->x, m_sheet.centred(*found)}, words, m_sheet.theme.text);
            ++named;
        }
    }

    // To its right and left, above and below, and at its corners.
    [[nodiscard]] std::vector<Rect> placesBeside(const Rect& point, double width) const {
        const double high = kNameHeight * m_sheet.size();
        const double space = 0.75 * m_sheet.gap();
        const double middle = point.y + point.height / 2.0 - high / 2.0;
        const double centred = point.x + point.width / 2.0 - width / 2.0;
        const double right = point.right() + space;
        const double left = point.x - space - width;
        const double above = point.y - space - high;
        const double below = point.bottom() + space;
        return {{right, middle, width, high}, {left, middle, width, high},
            {centred, above, width, high}, {centred, below, width, high},
            {right, above + high / 2.0, width, high}, {right, below - high / 2.0, width, high},
            {left, above + high / 2.0, width, high}, {left, below - high / 2.0, width, high}};
    }

    const RooflineFigureData& m_data;
    Picture m_picture;
    Sheet m_sheet;
    Rect m_area; // area of the points
    OperatorColours m_colours;
    FigureAxis m_x;
    FigureAxis m_y;
    std::vector<std::size_t> m_shown; // with a place
};

} // namespace

bool isOnRoofline(const MeasuredOperator& one) {
    const auto& known = one.efficiency;
    return known.intensity && known.flopPerSecond && *known.intensity > 0.0
        && *known.flopPerSecond > 0.0;
}

bool RooflineFigureData::isEmpty() const {
    return std::ranges::none_of(operators, isOnRoofline);
}

Picture buildRoofline(const RooflineFigureData& data, const FigureStyle& style) {
    return RooflineBuilder(data, style).build();
}

} // namespace trainscope::plot
