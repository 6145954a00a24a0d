#include "core/plot/figures/FigureFoot.h"
#include "core/plot/figures/FigureParts.h"

#include <algorithm>

namespace trainscope::plot {

namespace {

constexpr int kMostCaptionLines = 4;

class Figure {
public:
    Figure(const FigureData& data, const FigureStyle& style)
        : m_data(data)
        , m_style(style)
        , m_canvas{*style.theme, style.measure, m_geometry.scene} {
        m_geometry.scene.width = style.width;
        m_geometry.scene.background = style.theme->window;
    }

    FigureGeometry build() {
        const double pad = 2.0 * m_canvas.gap();
        const double width = std::max(m_style.width - 2.0 * pad, 1.0);
        FigureFoot foot(m_canvas, width);
        if (m_style.caption && !m_data.isEmpty())
            foot.add(m_data.caption, m_data.notes);
        const double above = pad + (hasTitle() ? titleHeight(m_canvas) : 0.0);
        m_geometry.preferredHeight = above + contentHeight(width) + foot.height() + pad;
        const double height = m_style.height > 0.0 ? m_style.height : m_geometry.preferredHeight;
        if (height < m_geometry.preferredHeight)
            foot.keepTo(kMostCaptionLines);
        const double below = foot.height() + pad;
        m_geometry.scene.height = height;
        if (hasTitle())
            drawTitle(m_canvas, m_data.title, {pad, pad}, width);
        const Rect area{pad, above, width, std::max(height - above - below, 1.0)};
        drawContent(area);
        foot.draw(pad, height - below);
        return std::move(m_geometry);
    }

private:
    [[nodiscard]] bool hasTitle() const { return m_style.title && !m_data.title.empty(); }
    [[nodiscard]] double contentHeight(double width) const {
        if (!m_data.heatmaps.empty())
            return heatmapsHeight(m_canvas, m_data);
        if (!m_data.panels.empty())
            return panelsHeight(m_canvas, m_data, width);
        if (!m_data.spectra.empty())
            return spectraHeight(m_canvas, m_data);
        return kEmptyHeight * m_canvas.lineHeight(TextRole::Body);
    }
    void drawContent(Rect area) {
        if (!m_data.heatmaps.empty())
            drawHeatmaps(m_canvas, m_data, area, m_geometry);
        else if (!m_data.panels.empty())
            drawPanels(m_canvas, m_data, area, m_geometry);
        else if (!m_data.spectra.empty())
            drawSpectra(m_canvas, m_data, area, m_geometry);
        else
            drawEmptyText(m_canvas, m_data.emptyText, area);
    }

    const FigureData& m_data;
    const FigureStyle& m_style;
    FigureGeometry m_geometry;
    Canvas m_canvas;
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
