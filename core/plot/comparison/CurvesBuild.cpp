// A metric over one iteration, aligned: means in their bands, over each other or below each other,
// and the differences to the first run below.
// Curves of many runs: a row of colours for each run on one axis of time, and beside it its
// difference to the first run, faint where it does not exceed the spread over iterations.

#include "core/plot/Palette.h"
#include "core/plot/comparison/ComparisonFrame.h"
#include "core/plot/figures/CurvePlot.h"

#include <cmath>

namespace trainscope::plot {

namespace {

constexpr double kPlotLines = 10.0; // lines of small text that a plot wants
constexpr double kStackedLines = 6.0;
constexpr double kDifferenceLines = 4.5;
constexpr std::uint8_t kBandAlpha = 70;
constexpr std::uint8_t kBeyondAlpha = 110;

class CurvePlots {
public:
    CurvePlots(const ComparisonFrame& frame, double width)
        : m_frame(frame)
        , m_curves(*frame.data.curves)
        , m_width(width) {
        for (const auto* axis : {&m_curves.axis, &m_curves.differenceAxis}) {
            for (const auto& tick : ticksOf(*axis, 5))
                m_labels = std::max(m_labels, frame.width(tick.label));
        }
        m_labels += 1.5 * frame.gap();
    }

    [[nodiscard]] double height() const {
        return static_cast<double>(plots()) * (plotHeight() + m_frame.gap())
            + static_cast<double>(m_curves.differences.size()) * differenceHeight()
            + gridHeight(m_frame) + legendHeight();
    }

    void draw(Rect area) const {
        legend({area.x + m_labels, area.y}, true);
        const Rect top{area.x + m_labels, area.y + legendHeight(),
            std::max(m_width - m_labels - 2.0 * m_frame.gap(), 1.0), plotHeight()};
        double y = top.y;
        for (std::size_t plot = 0; plot < plots(); ++plot) {
            const Rect rect{top.x, y, top.width, plotHeight()};
            drawPlot(rect, plot);
            y += plotHeight() + m_frame.gap();
        }
        for (const auto& difference : m_curves.differences) {
            drawDifference(difference,
                {top.x, y + headroom(), top.width,
                    differenceHeight() - headroom() - m_frame.gap()});
            y += differenceHeight();
        }
        drawTimeTicks(m_frame, {top.x, y - m_frame.gap(), top.width, 0.0}, begin(), end(),
            m_curves.stretched ? AxisTicks::Shares : AxisTicks::Seconds);
        m_frame.addCurves({top.x, top.y, top.width, y - m_frame.gap() - top.y}, 0);
    }

private:
    [[nodiscard]] double begin() const { return m_curves.from; }
    [[nodiscard]] double end() const { return m_curves.from + m_curves.step * m_curves.columns; }
    [[nodiscard]] std::size_t plots() const {
        return m_frame.choice.stacked ? m_curves.curves.size() : 1;
    }
    [[nodiscard]] double plotHeight() const {
        return (plots() > 1 ? kStackedLines : kPlotLines) * m_frame.lineHeight();
    }
    [[nodiscard]] double differenceHeight() const {
        return kDifferenceLines * m_frame.lineHeight() + headroom();
    }
    // Above the plot of a difference, for its title.
    [[nodiscard]] double headroom() const { return m_frame.lineHeight() + 2.0 * m_frame.gap(); }
    [[nodiscard]] double legendHeight() const {
        return legend({0.0, 0.0}, false) + 1.5 * m_frame.gap();
    }

    // Returns its height.
    double legend(Point at, bool draw) const {
        const double size = m_frame.size();
        const double swatch
            = isPrinted(m_frame.theme) ? inkSampleLength(m_frame.theme) : 1.4 * size;
        LegendFlow flow(m_frame,
            {swatch, m_frame.gap(), 3.0 * m_frame.gap(), m_frame.lineHeight(), 0.64 * size, {}}, at,
            std::max(m_width - m_labels, 1.0), draw);
        for (const auto& curve : m_curves.curves) {
            const Color ink = m_frame.inkOf(curve.run);
            flow.setInk(ink);
            flow.add(
                m_frame.mark(curve.run) + " " + m_frame.legendName(curve.run), [&](Point left) {
                    drawInkSample(m_frame, curve.run, left, swatch, 2.0 * m_frame.theme.lineWidth,
                        lineInkOf(curve.run));
                });
        }
        return flow.height();
    }

    [[nodiscard]] Color lineInkOf(std::size_t run) const {
        return isPrinted(m_frame.theme)
            ? runInk(m_frame.fillOf(run), run, m_frame.theme, m_frame.paper())
            : m_frame.inkOf(run);
    }

    void drawPlot(Rect plot, std::size_t only) const {
        const CurvePlot drawn(m_frame, m_curves.axis, plot);
        drawn.grid();
        const auto isShown = [&](std::size_t i) { return !m_frame.choice.stacked || i == only; };
        for (std::size_t i = 0; i < m_curves.curves.size(); ++i) {
            const auto& curve = m_curves.curves[i];
            if (isShown(i))
                drawn.band(curve.low, curve.high, withAlpha(m_frame.fillOf(curve.run), kBandAlpha));
        }
        for (std::size_t i = 0; i < m_curves.curves.size(); ++i) {
            const auto& curve = m_curves.curves[i];
            if (isShown(i))
                drawn.line(curve.mean, lineInkOf(curve.run), curve.run);
        }
    }

    void drawDifference(const ComparisonCurves::Difference& difference, Rect plot) const {
        const std::string title = m_frame.mark(difference.run) + " − " + m_frame.mark(0)
            + (m_curves.isFolded ? "; shaded where it exceeds the spread over iterations" : "");
        m_frame.note({plot.x, plot.y - 1.5 * m_frame.gap()}, m_frame.fitted(title, plot.width));
        const CurvePlot drawn(m_frame, m_curves.differenceAxis, plot);
        drawn.grid();
        std::vector<float> beyond = difference.values;
        for (std::size_t i = 0; i < beyond.size(); ++i) {
            if (difference.beyond[i] == 0)
                beyond[i] = kNothing;
        }
        drawn.shade(beyond, withAlpha(m_frame.fillOf(difference.run), kBeyondAlpha));
        drawn.line(difference.values, m_frame.inkOf(difference.run));
    }

    const ComparisonFrame& m_frame;
    const ComparisonCurves& m_curves;
    double m_width;
    double m_labels = 0.0;
};

constexpr double kMostCurveName = 0.25; // share of the width
constexpr double kFaintDifference = 0.4; // strength, where 1 is a difference beyond the spread
constexpr Color kMore = rgb(0xd55e00); // Okabe-Ito
constexpr Color kLess = rgb(0x0072b2);
constexpr Color kTransparent{0, 0, 0, 0};

double colorBarHeight(const ComparisonFrame& frame) {
    return 2.0 * frame.gap() + frame.lineHeight() + 2.0 * frame.gap();
}

// A bar of colours with the axis' ticks below it.
void drawColorBar(
    const ComparisonFrame& frame, const FigureAxis& axis, const ColorOf& color, Rect area) {
    constexpr double widest = 20.0; // in sizes of the text
    const double size = frame.size();
    const double tick = 0.5 * frame.gap();
    drawColourScale(frame, {area.x, area.y, std::min(area.width, widest * size), 2.0 * frame.gap()},
        axis, 5, color, tick, tick + size);
}

class CurveRows {
public:
    CurveRows(const ComparisonFrame& frame, double width)
        : m_frame(frame)
        , m_curves(*frame.data.curves) {
        m_labels = frame.markedNames(kMostCurveName * width);
        for (const auto& curve : m_curves.curves)
            m_names = std::max(m_names, frame.width(m_labels[curve.run]));
        m_names += 2.0 * frame.gap();
        m_half = m_curves.differences.empty() ? std::max(width - m_names, 1.0)
                                              : std::max((width - m_names - between()) / 2.0, 1.0);
        const double most = std::max(std::abs(m_curves.differenceAxis.range.low),
            std::abs(m_curves.differenceAxis.range.high));
        m_scale = m_curves.differenceAxis;
        m_scale.range = {-most, most};
    }

    [[nodiscard]] double height() const {
        return m_frame.lineHeight() + m_frame.gap() + colorBarHeight(m_frame)
            + static_cast<double>(m_curves.curves.size()) * row() + gridHeight(m_frame);
    }

    void draw(Rect area) const {
        const Rect left{area.x + m_names, area.y, m_half, area.height};
        const Rect right{left.right() + between(), area.y, m_half, area.height};
        drawHead(left, m_curves.axis.title, m_curves.axis, scaleColors(m_curves.axis));
        const bool hasDifferences = !m_curves.differences.empty();
        if (hasDifferences)
            drawHead(right,
                "difference to " + m_frame.mark(0)
                    + (m_curves.isFolded ? ", faint within the spread over iterations" : ""),
                m_scale, [this](double fraction) { return shade(2.0 * fraction - 1.0, 1.0); });
        const double top = area.y + m_frame.lineHeight() + m_frame.gap() + colorBarHeight(m_frame);
        for (std::size_t i = 0; i < m_curves.curves.size(); ++i)
            drawRow(i, area.x, {left.x, top + static_cast<double>(i) * row(), m_half, high()});
        const double rows = static_cast<double>(m_curves.curves.size()) * row();
        drawTicks({left.x, top, m_half, rows});
        if (hasDifferences)
            drawTicks({right.x, top, m_half, rows});
    }

private:
    [[nodiscard]] double small() const { return m_frame.size(); }
    [[nodiscard]] double between() const { return 6.0 * m_frame.gap(); }
    [[nodiscard]] double row() const { return 1.35 * small(); }
    [[nodiscard]] double high() const { return 1.1 * small(); }
    // −1 to 1.
    [[nodiscard]] Color shade(double value, double strength) const {
        const double share = std::round(std::min(std::abs(value), 1.0) * 32.0) / 32.0;
        return blend(m_frame.paper(), value < 0.0 ? kLess : kMore, share * strength);
    }

    void drawHead(
        Rect half, const std::string& title, const FigureAxis& axis, const ColorOf& color) const {
        m_frame.note({half.x, half.y + small()}, m_frame.fitted(title, half.width));
        drawColorBar(m_frame, axis, color,
            {half.x, half.y + m_frame.lineHeight() + m_frame.gap(), half.width, 0.0});
    }

    void drawTicks(Rect plot) const {
        drawTimeTicks(m_frame, {plot.x, plot.bottom(), plot.width, 0.0}, m_curves.from,
            m_curves.from + m_curves.step * m_curves.columns,
            m_curves.stretched ? AxisTicks::Shares : AxisTicks::Seconds);
    }

    void drawRow(std::size_t index, double names, Rect rect) const {
        const auto& curve = m_curves.curves[index];
        m_frame.text({names, m_frame.centred(rect)}, m_labels[curve.run], m_frame.theme.text);
        std::vector<Color> cells;
        for (const float value : curve.mean)
            cells.push_back(std::isnan(value)
                    ? kTransparent
                    : scaleColor(m_curves.axis, static_cast<double>(value)));
        addStrip(std::move(cells), rect);
        m_frame.addCurves(rect, curve.run);
        const auto* difference = m_curves.differenceOf(curve.run);
        if (difference == nullptr)
            return;
        const Rect beside{rect.right() + between(), rect.y, rect.width, rect.height};
        addStrip(differenceCells(*difference), beside);
        m_frame.addCurves(beside, curve.run);
    }

    [[nodiscard]] std::vector<Color> differenceCells(
        const ComparisonCurves::Difference& difference) const {
        std::vector<Color> cells;
        const double most = std::max(m_scale.range.high, std::numeric_limits<double>::min());
        for (std::size_t i = 0; i < difference.values.size(); ++i) {
            const auto value = static_cast<double>(difference.values[i]);
            const bool isFull = difference.beyond[i] != 0 || !m_curves.isFolded;
            cells.push_back(std::isnan(value)
                    ? kTransparent
                    : shade(value / most, isFull ? 1.0 : kFaintDifference));
        }
        return cells;
    }

    void addStrip(std::vector<Color> cells, Rect rect) const {
        const auto count = static_cast<int>(cells.size());
        m_frame.scene.items.emplace_back(HeatStrip{rect, 1, count, std::move(cells)});
    }

    const ComparisonFrame& m_frame;
    const ComparisonCurves& m_curves;
    FigureAxis m_scale; // differences, symmetric around 0
    std::vector<std::string> m_labels; // by run
    double m_names = 0.0;
    double m_half = 0.0;
};

} // namespace

PanelContent curvesContent(const ComparisonFrame& frame, double width) {
    if (frame.data.isMany())
        return curveRows(frame, width);
    return CurvePlots(frame, width);
}

PanelContent curveRows(const ComparisonFrame& frame, double width) {
    return CurveRows(frame, width);
}

} // namespace trainscope::plot
