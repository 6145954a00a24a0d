// A metric over one iteration, aligned: means in their bands, over each other or below each other,
// and the differences to the first run below.
#include "core/plot/Palette.h"
#include "core/plot/RunInk.h"
#include "core/plot/comparison/ComparisonFrame.h"
#include "core/plot/figures/CurvePlot.h"

#include <algorithm>
#include <vector>

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
            + gridHeight(m_frame) + legendHeight();
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

} // namespace

MadeContent curvesContent(const ComparisonFrame& frame, double width) {
    if (frame.data.isMany())
        return curveRows(frame, width);
    return std::make_unique<CurvePlots>(frame, width);
}

} // namespace trainscope::plot
