// A metric over one iteration, aligned: means in their bands, over each other or below each other,
// and the differences to the first run below.
#include "core/plot/Palette.h"
#include "core/plot/RunInk.h"
#include "core/plot/comparison/ComparisonFrame.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trainscope::plot {

namespace {

constexpr double kPlotLines = 10.0; // lines of small text that a plot wants
constexpr double kStackedLines = 6.0;
constexpr double kDifferenceLines = 4.5;
constexpr std::uint8_t kBandAlpha = 70;
constexpr std::uint8_t kBeyondAlpha = 110;

class CurvePlots : public PanelContent {
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

    [[nodiscard]] double height() const override {
        return static_cast<double>(plots()) * (plotHeight() + m_frame.gap())
            + static_cast<double>(m_curves.differences.size()) * differenceHeight()
            + timeTicksHeight(m_frame) + legendHeight();
    }

    void draw(Rect area) const override {
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

    void drawGrid(Rect plot, const FigureAxis& axis) const {
        const int most = std::clamp(static_cast<int>(plot.height / (2.2 * m_frame.size())), 2, 6);
        for (const auto& tick : ticksOf(axis, most)) {
            const double y = plot.bottom() - plot.height * fractionOf(axis, tick.value);
            m_frame.line({plot.x, y}, {plot.right(), y}, m_frame.theme.grid);
            m_frame.note({plot.x - m_frame.gap(), m_frame.centred(y)}, tick.label, Align::Right);
        }
    }

    void drawPlot(Rect plot, std::size_t only) const {
        drawGrid(plot, m_curves.axis);
        const auto isShown = [&](std::size_t i) { return !m_frame.choice.stacked || i == only; };
        for (std::size_t i = 0; i < m_curves.curves.size(); ++i) {
            if (isShown(i))
                drawBand(plot, m_curves.curves[i]);
        }
        for (std::size_t i = 0; i < m_curves.curves.size(); ++i) {
            if (isShown(i))
                drawMean(plot, m_curves.curves[i]);
        }
    }

    [[nodiscard]] float yOf(Rect plot, const FigureAxis& axis, float value) const {
        if (std::isnan(value))
            return kNothing;
        return static_cast<float>(
            plot.bottom() - plot.height * fractionOf(axis, static_cast<double>(value)));
    }

    void drawBand(Rect plot, const ComparisonCurves::Curve& curve) const {
        Columns columns;
        columns.area = plot;
        columns.color = withAlpha(m_frame.fillOf(curve.run), kBandAlpha);
        for (std::size_t i = 0; i < curve.low.size(); ++i) {
            columns.top.push_back(yOf(plot, m_curves.axis, curve.high[i]));
            columns.bottom.push_back(yOf(plot, m_curves.axis, curve.low[i]));
        }
        m_frame.scene.items.emplace_back(std::move(columns));
    }

    void drawMean(Rect plot, const ComparisonCurves::Curve& curve) const {
        std::vector<float> values = curve.mean;
        if (isPrinted(m_frame.theme)) {
            const double step
                = plot.width / static_cast<double>(std::max<std::size_t>(values.size(), 1));
            // A dash has two points at least.
            const double unit = std::max(m_frame.theme.lineWidth, 0.5 * step);
            for (std::size_t i = 0; i < values.size(); ++i) {
                if (!isInked(curve.run, step * static_cast<double>(i) / unit))
                    values[i] = kNothing;
            }
        }
        drawLine(plot, m_curves.axis, values, lineInkOf(curve.run));
    }

    // Joined through the middles of the columns, broken where nothing is known.
    void drawLine(
        Rect plot, const FigureAxis& axis, const std::vector<float>& values, Color ink) const {
        Polyline line{{}, ink, 1.5 * m_frame.theme.lineWidth};
        const double width
            = plot.width / static_cast<double>(std::max<std::size_t>(values.size(), 1));
        const auto finish = [&] {
            if (line.points.size() > 1)
                m_frame.scene.items.emplace_back(line);
            line.points.clear();
        };
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (std::isnan(values[i]))
                finish();
            else
                line.points.push_back({plot.x + width * (static_cast<double>(i) + 0.5),
                    static_cast<double>(yOf(plot, axis, values[i]))});
        }
        finish();
    }

    void drawDifference(const ComparisonCurves::Difference& difference, Rect plot) const {
        const std::string title = m_frame.mark(difference.run) + " − " + m_frame.mark(0)
            + (m_curves.isFolded ? "; shaded where it exceeds the spread over iterations" : "");
        m_frame.note({plot.x, plot.y - 1.5 * m_frame.gap()}, m_frame.fitted(title, plot.width));
        drawGrid(plot, m_curves.differenceAxis);
        const float zero = yOf(plot, m_curves.differenceAxis, 0.0F);
        Columns shade;
        shade.area = plot;
        shade.color = withAlpha(m_frame.fillOf(difference.run), kBeyondAlpha);
        for (std::size_t i = 0; i < difference.values.size(); ++i) {
            const bool beyond = difference.beyond[i] != 0;
            const float y = yOf(plot, m_curves.differenceAxis, difference.values[i]);
            shade.top.push_back(beyond ? std::min(y, zero) : kNothing);
            shade.bottom.push_back(beyond ? std::max(y, zero) : kNothing);
        }
        m_frame.scene.items.emplace_back(std::move(shade));
        const auto level = static_cast<double>(zero);
        m_frame.line({plot.x, level}, {plot.right(), level}, m_frame.theme.textMuted);
        drawLine(plot, m_curves.differenceAxis, difference.values, m_frame.inkOf(difference.run));
    }

    const ComparisonFrame& m_frame;
    const ComparisonCurves& m_curves;
    double m_width;
    double m_labels = 0.0;
};

} // namespace

MadeContent curvesContent(const ComparisonFrame& frame, double width) {
    return std::make_unique<CurvePlots>(frame, width);
}

} // namespace trainscope::plot
