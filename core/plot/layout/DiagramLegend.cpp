#include "core/plot/layout/DiagramLegend.h"

#include "core/plot/figures/ColourScale.h"
#include "core/plot/figures/FigureParts.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainscope::plot {

namespace {

constexpr int kMostSwatches = 8; // beyond it colours are steps of a scale
constexpr double kBarWidth = 150.0;

class Legend {
public:
    Legend(const Canvas& canvas, const DiagramLegend& legend, Point corner, double width,
        bool isDrawn = true)
        : m_canvas(canvas)
        , m_legend(legend)
        , m_corner(corner)
        , m_width(width)
        , m_isDrawn(isDrawn)
        , m_swatch(0.9 * canvas.size())
        , m_flow(canvas,
              {m_swatch, canvas.gap(), 3.0 * canvas.gap(), 1.25 * canvas.lineHeight(),
                  0.5 * canvas.lineHeight(), canvas.theme.textSecondary},
              corner, width, isDrawn) { }

    // Entries flow from the left; the scale has a line of its own. Returns the height.
    double lay() {
        for (const LitGroup& group : m_legend.groups) {
            const std::string key(infoOf(group.kind).key);
            entry(markText(key), [&](const Rect& rect) {
                addGroupMark(m_canvas.scene.items, rect, key, 2.0 * m_canvas.theme.lineWidth);
            });
        }
        for (const std::string& key : lines())
            entry(groupTitle(key) + " between nodes", [&](const Rect& rect) {
                const double y = rect.y + rect.height / 2.0;
                m_canvas.line({rect.x, y}, {rect.right(), y}, groupColor(key),
                    3.0 * m_canvas.theme.lineWidth);
            });
        if (m_legend.colours->by == RankColour::Value)
            return scale(m_legend.colours->scale);
        return m_legend.layout == nullptr ? m_flow.height() : categories();
    }

private:
    // Kinds of lines between nodes, in the order of appearance.
    [[nodiscard]] std::vector<std::string> lines() const {
        std::vector<std::string> kinds;
        for (const PhysicalEdge& edge : m_legend.edges) {
            if (std::ranges::find(kinds, edge.group) == kinds.end())
                kinds.push_back(edge.group);
        }
        return kinds;
    }
    [[nodiscard]] std::string markText(const std::string& key) const {
        return m_legend.rank ? fmt::format("{} group of rank {}", groupTitle(key), *m_legend.rank)
                             : groupTitle(key) + " group";
    }

    template <typename Draw>
    void entry(const std::string& text, const Draw& draw) {
        m_flow.add(text, [&](Point left) {
            draw(Rect{left.x, left.y - m_swatch / 2.0, m_swatch, m_swatch});
        });
    }

    double categories() {
        const int count = colourCount(m_legend.colours->by, *m_legend.layout);
        const auto name = toString(m_legend.colours->by);
        if (count > kMostSwatches) {
            FigureAxis axis;
            axis.title = std::string(name);
            axis.range = {0.0, static_cast<double>(count - 1)};
            return scale(axis);
        }
        for (int index = 0; index < count; ++index)
            entry(fmt::format("{} {}", name, index),
                [&](const Rect& rect) { m_canvas.fill(rect, indexColor(index, count)); });
        return m_flow.height();
    }

    double scale(const FigureAxis& axis) {
        const double bar = 2.0 * m_canvas.gap();
        const double width = std::min(kBarWidth, 0.5 * m_width);
        const double numbers = m_canvas.lineHeight(); // they are centred on the bar's ends
        const double x = m_corner.x + m_width - width - numbers;
        const double y = m_corner.y + m_flow.height();
        if (m_isDrawn) {
            drawColourScale(m_canvas, {x, y, width, bar}, axis, 5);
            m_canvas.text({x - 2.0 * m_canvas.gap(), m_canvas.centred(y + bar / 2.0)},
                m_canvas.fitted(axisTitle(axis), x - m_corner.x - 3.0 * m_canvas.gap()),
                m_canvas.theme.text, TextRole::Small, Align::Right);
        }
        return m_flow.height() + bar + colourScaleFoot(m_canvas);
    }

    const Canvas& m_canvas;
    const DiagramLegend& m_legend;
    Point m_corner;
    double m_width;
    bool m_isDrawn;
    double m_swatch;
    LegendFlow m_flow;
};

} // namespace

double legendHeight(const Canvas& canvas, const DiagramLegend& legend, double width) {
    return Legend(canvas, legend, {}, width, false).lay();
}

void drawLegend(const Canvas& canvas, const DiagramLegend& legend, const Rect& area) {
    Legend(canvas, legend, {area.x, area.y}, area.width).lay();
}

} // namespace trainscope::plot
