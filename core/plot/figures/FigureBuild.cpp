#include "core/plot/TextFit.h"
#include "core/plot/figures/FigureFoot.h"
#include "core/plot/figures/FigureFrame.h"

#include <algorithm>

namespace trainscope::plot {

namespace {

constexpr int kMostCaptionLines = 4;
constexpr double kEmptyHeight = 12.0; // lines

class Figure {
public:
    Figure(const FigureData& data, const FigureStyle& style)
        : m_data(data)
        , m_style(style)
        , m_frame{style, *style.theme, m_geometry.scene} {
        m_geometry.scene.width = style.width;
        m_geometry.scene.background = style.theme->window;
    }

    FigureGeometry build() {
        const double pad = 2.0 * m_frame.gap();
        const double width = std::max(m_style.width - 2.0 * pad, 1.0);
        FigureFoot foot(m_frame, width, kMostCaptionLines);
        if (m_style.caption && !m_data.isEmpty())
            foot.add(m_data.caption, m_data.notes);
        const double above = pad + titleHeight();
        const double below = foot.height() + pad;
        m_geometry.preferredHeight = above + contentHeight(width) + below;
        const double height = m_style.height > 0.0 ? m_style.height : m_geometry.preferredHeight;
        m_geometry.scene.height = height;
        drawTitle(pad, width);
        const Rect area{pad, above, width, std::max(height - above - below, 1.0)};
        drawContent(area);
        foot.draw(pad, height - below);
        return std::move(m_geometry);
    }

private:
    [[nodiscard]] bool hasTitle() const { return m_style.title && !m_data.title.empty(); }
    [[nodiscard]] double titleHeight() const {
        return hasTitle() ? m_frame.lineHeight(TextRole::Body) + 2.0 * m_frame.gap() : 0.0;
    }
    void drawTitle(double pad, double width) const {
        if (hasTitle())
            m_frame.text({pad, pad + m_frame.size(TextRole::Body)},
                elided(m_data.title, width, m_style.measure, TextRole::Body, true),
                m_frame.theme.text, TextRole::Body, Align::Left, true);
    }

    [[nodiscard]] double contentHeight(double width) const {
        if (!m_data.heatmaps.empty())
            return heatmapsHeight(m_frame, m_data);
        if (!m_data.panels.empty())
            return panelsHeight(m_frame, m_data, width);
        if (!m_data.spectra.empty())
            return spectraHeight(m_frame, m_data);
        return kEmptyHeight * m_frame.lineHeight(TextRole::Body);
    }
    void drawContent(Rect area) {
        if (!m_data.heatmaps.empty())
            drawHeatmaps(m_frame, m_data, area, m_geometry);
        else if (!m_data.panels.empty())
            drawPanels(m_frame, m_data, area, m_geometry);
        else if (!m_data.spectra.empty())
            drawSpectra(m_frame, m_data, area, m_geometry);
        else
            drawEmpty(area);
    }
    void drawEmpty(Rect area) const {
        const auto lines = wrapped(
            m_data.emptyText, 0.8 * area.width, kMostCaptionLines, m_style.measure, TextRole::Body);
        double y = area.y + area.height / 2.0;
        for (const auto& line : lines) {
            m_frame.text({area.x + area.width / 2.0, y}, line, m_frame.theme.textSecondary,
                TextRole::Body, Align::Centre);
            y += m_frame.lineHeight(TextRole::Body);
        }
    }

    const FigureData& m_data;
    const FigureStyle& m_style;
    FigureGeometry m_geometry;
    FigureFrame m_frame;
};

} // namespace

FigureGeometry buildFigure(const FigureData& data, const FigureStyle& style) {
    return Figure(data, style).build();
}

std::optional<FigureHit> hitFigure(
    const FigureData& data, const FigureGeometry& geometry, double x, double y) {
    if (!data.heatmaps.empty())
        return hitHeatmap(data, geometry, {x, y});
    return data.panels.empty() ? hitSpectrum(data, geometry, {x, y})
                               : hitPanel(data, geometry, {x, y});
}

} // namespace trainscope::plot
