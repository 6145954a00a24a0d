// The schedule of a prediction, and the candidates of a search: step time against another quantity
// with the front that nothing beats in both.
#include "core/plot/Palette.h"
#include "core/plot/figures/PanelBuild.h"
#include "core/plot/prediction/PredictionFrame.h"
#include "core/text/Numbers.h"

#include <algorithm>

namespace trainscope::plot {

namespace {

class PredictedSchedule : public PanelContent {
public:
    PredictedSchedule(const PredictionFrame& frame, double width)
        : m_frame(frame) {
        FigureStyle style = frame.style;
        style.width = width;
        style.height = 0.0;
        style.title = style.caption = false;
        m_chart = buildScheduleFigure(*frame.data.schedule, style);
    }

    [[nodiscard]] double height() const override { return m_chart.scene.height; }

    void draw(Rect area) const override { m_frame.picture.append(m_chart, {area.x, area.y}); }

private:
    const PredictionFrame& m_frame;
    Picture m_chart;
};

class PredictedFrontPanel : public PanelContent {
public:
    explicit PredictedFrontPanel(const PredictionFrame& frame)
        : m_frame(frame)
        , m_front(frame.data.front) {
        std::vector<double> xs;
        std::vector<double> ys;
        for (const auto& point : m_front.points) {
            xs.push_back(point.seconds.value);
            ys.push_back(point.value);
            if (point.isOnFront && point.seconds.low && point.seconds.high)
                xs.insert(xs.end(), {*point.seconds.low, *point.seconds.high});
        }
        m_x = axisOf("Step time", {}, "s", xs, false);
        m_y = axisOf(m_front.title, {}, m_front.unit, ys, false);
    }

    [[nodiscard]] double height() const override { return kFrontLines * m_frame.lineHeight(); }

    void draw(Rect area) const override {
        double labels = 0.0;
        const int most = mostTicks(m_frame, area.height);
        for (const auto& tick : ticksOf(m_y, most))
            labels = std::max(labels, m_frame.width(tick.label));
        const double left = area.x + labels + 2.0 * m_frame.gap();
        const double top = area.y + m_frame.lineHeight() + 2.5 * m_frame.gap();
        const Rect plot{left, top, std::max(area.right() - left - 2.5 * m_frame.size(), 1.0),
            std::max(area.bottom() - top - gridHeight(m_frame) - m_frame.lineHeight(), 1.0)};
        m_frame.note({area.x, area.y + m_frame.size()}, axisTitle(m_y));
        for (const auto& tick : ticksOf(m_y, most)) {
            const double y = plot.bottom() - plot.height * fractionOf(m_y, tick.value);
            m_frame.line({plot.x, y}, {plot.right(), y}, m_frame.theme.grid);
            m_frame.note({plot.x - m_frame.gap(), m_frame.centred(y)}, tick.label, Align::Right);
        }
        drawGrid(m_frame, m_x, plot);
        m_frame.note(
            {plot.x + plot.width / 2.0, plot.bottom() + gridHeight(m_frame) + m_frame.size()},
            m_x.title, Align::Centre);
        drawFront(plot);
        for (const bool isChosen : {false, true}) {
            for (std::size_t i = 0; i < m_front.points.size(); ++i) {
                if (m_front.points[i].isChosen == isChosen)
                    drawPoint(i, plot);
            }
        }
    }

private:
    static constexpr double kFrontLines = 18.0; // of small text
    static constexpr double kReach = 5.0; // how far from a point the pointer still means it

    [[nodiscard]] Point placeOf(const PredictedPoint& point, const Rect& plot) const {
        return {plot.x + plot.width * fractionOf(m_x, point.seconds.value),
            plot.bottom() - plot.height * fractionOf(m_y, point.value)};
    }

    void drawFront(const Rect& plot) const {
        Polyline line{{}, legibleOn(m_frame.theme.accent, m_frame.theme.panel),
            1.5 * m_frame.theme.lineWidth};
        for (const auto& point : m_front.points) {
            if (point.isOnFront)
                line.points.push_back(placeOf(point, plot));
        }
        std::sort(line.points.begin(), line.points.end(),
            [](const Point& a, const Point& b) { return a.x < b.x; });
        if (line.points.size() > 1)
            m_frame.scene.items.emplace_back(std::move(line));
    }

    void drawPoint(std::size_t place, const Rect& plot) const {
        const PredictedPoint& point = m_front.points[place];
        const Point at = placeOf(point, plot);
        const Color color = legibleOn(
            point.isOnFront ? m_frame.theme.accent : m_frame.theme.textMuted, m_frame.theme.panel);
        if (point.isOnFront && point.seconds.low && point.seconds.high) {
            const auto xOf
                = [&](double seconds) { return plot.x + plot.width * fractionOf(m_x, seconds); };
            m_frame.line({xOf(*point.seconds.low), at.y}, {xOf(*point.seconds.high), at.y}, color);
        }
        const double size = m_frame.size();
        if (point.isChosen) {
            m_frame.dot(at, 1.1 * size, m_frame.theme.text);
            m_frame.dot(at, 0.8 * size, m_frame.theme.panel);
        }
        m_frame.dot(at, (point.isOnFront ? 0.6 : 0.35) * size, color);
        m_frame.target({at.x - kReach, at.y - kReach, 2.0 * kReach, 2.0 * kReach}, point.name,
            {{m_x.title, predictedText(point.seconds, "s")},
                {m_front.title, text::quantity(point.value, m_front.unit, text::Digits::Three)}},
            place);
    }

    const PredictionFrame& m_frame;
    const PredictedFront& m_front;
    FigureAxis m_x;
    FigureAxis m_y;
};

} // namespace

MadeContent predictedSchedule(const PredictionFrame& frame, double width) {
    return std::make_unique<PredictedSchedule>(frame, width);
}

MadeContent predictedFront(const PredictionFrame& frame, double /*width*/) {
    return std::make_unique<PredictedFrontPanel>(frame);
}

} // namespace trainscope::plot
