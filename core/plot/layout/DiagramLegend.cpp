#include "core/plot/layout/DiagramLegend.h"

#include "core/plot/TextFit.h"
#include "core/plot/figures/ColourScale.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainscope::plot {

namespace {

constexpr int kMostSwatches = 8; // beyond it colours are steps of a scale
constexpr double kBarWidth = 150.0;

std::string_view colouringName(RankColour by) {
    return by == RankColour::Pipeline ? "stage" : toString(by);
}

class Legend {
public:
    Legend(const FigureFrame& frame, const DiagramLegend& legend, double width)
        : m_frame(frame)
        , m_legend(legend)
        , m_width(width)
        , m_line(frame.lineHeight(TextRole::Small)) {
        m_swatch = 0.9 * frame.size(TextRole::Small);
    }

    // Entries flow from the left; the scale has a line of its own.
    double run(bool isDrawn, Point corner) {
        m_isDrawn = isDrawn;
        m_corner = corner;
        m_at = {0.0, 0.0};
        for (const auto& key : m_legend.groups)
            entry(markText(key), [&](const Rect& rect) {
                addGroupMark(m_frame.scene.items, rect, key, 2.0 * m_frame.theme.lineWidth);
            });
        for (const auto& key : m_legend.lines)
            entry(groupTitle(key) + " between nodes", [&](const Rect& rect) {
                const double y = rect.y + rect.height / 2.0;
                m_frame.line(
                    {rect.x, y}, {rect.right(), y}, groupColor(key), 3.0 * m_frame.theme.lineWidth);
            });
        if (m_legend.colours->by == RankColour::Value)
            scale(m_legend.colours->scale);
        else
            categories();
        return m_at.x > 0.0 ? m_at.y + 1.25 * m_line : m_at.y;
    }

private:
    [[nodiscard]] std::string markText(const std::string& key) const {
        return m_legend.rank ? fmt::format("{} group of rank {}", groupTitle(key), *m_legend.rank)
                             : groupTitle(key) + " group";
    }

    template <typename Draw>
    void entry(const std::string& text, const Draw& draw) {
        const double width = m_swatch + m_frame.gap() + m_frame.width(text, TextRole::Small);
        if (m_at.x > 0.0 && m_at.x + width > m_width)
            m_at = {0.0, m_at.y + 1.25 * m_line};
        if (m_isDrawn) {
            const double x = m_corner.x + m_at.x;
            const double y = m_corner.y + m_at.y;
            draw(Rect{x, y + (m_line - m_swatch) / 2.0, m_swatch, m_swatch});
            m_frame.text(
                {x + m_swatch + m_frame.gap(), m_frame.centred(y + m_line / 2.0, TextRole::Small)},
                text, m_frame.theme.textSecondary, TextRole::Small);
        }
        m_at.x += width + 3.0 * m_frame.gap();
    }

    void nextLine() {
        if (m_at.x > 0.0)
            m_at = {0.0, m_at.y + 1.25 * m_line};
    }

    void categories() {
        if (m_legend.layout == nullptr)
            return;
        const int count = colourCount(m_legend.colours->by, *m_legend.layout);
        const auto name = colouringName(m_legend.colours->by);
        if (count > kMostSwatches) {
            FigureAxis axis;
            axis.title = std::string(name);
            axis.range = {0.0, static_cast<double>(count - 1)};
            return scale(axis);
        }
        for (int index = 0; index < count; ++index)
            entry(fmt::format("{} {}", name, index),
                [&](const Rect& rect) { m_frame.fill(rect, indexColor(index, count)); });
    }

    void scale(const FigureAxis& axis) {
        nextLine();
        const double bar = 2.0 * m_frame.gap();
        const double width = std::min(kBarWidth, 0.5 * m_width);
        const double y = m_corner.y + m_at.y;
        const double middle = m_frame.centred(y + bar / 2.0, TextRole::Small);
        if (m_isDrawn) {
            drawColourScale(m_frame, {m_corner.x + m_width - width, y, width, bar}, axis, 5);
            m_frame.text({m_corner.x + m_width - width - 2.0 * m_frame.gap(), middle},
                elided(axisTitle(axis), m_width - width - 3.0 * m_frame.gap(),
                    m_frame.style.measure, TextRole::Small),
                m_frame.theme.text, TextRole::Small, Align::Right);
        }
        m_at = {0.0, m_at.y + bar + colourScaleFoot(m_frame)};
    }

    const FigureFrame& m_frame;
    const DiagramLegend& m_legend;
    double m_width;
    double m_line;
    double m_swatch = 0.0;
    bool m_isDrawn = false;
    Point m_corner;
    Point m_at; // from the corner
};

} // namespace

double legendHeight(const FigureFrame& frame, const DiagramLegend& legend, double width) {
    return Legend(frame, legend, width).run(false, {});
}

void drawLegend(const FigureFrame& frame, const DiagramLegend& legend, const Rect& area) {
    Legend(frame, legend, area.width).run(true, {area.x, area.y});
}

} // namespace trainscope::plot
