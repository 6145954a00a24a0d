#include "core/plot/SceneParts.h"
#include "core/plot/figures/FigureFoot.h"
#include "core/plot/figures/FigureParts.h"
#include "core/plot/layout/DiagramLegend.h"
#include "core/plot/layout/LayoutFigure.h"
#include "core/plot/layout/RankGridDiagram.h"

#include <algorithm>
#include <iterator>

namespace trainscope::plot {

namespace {

constexpr int kMostNoteLines = 3; // of one note

class LayoutDrawing {
public:
    LayoutDrawing(const LayoutFigureData& data, const FigureStyle& style)
        : m_data(data)
        , m_style(style)
        , m_canvas{*style.theme, style.measure, m_geometry.scene}
        , m_pad(2.0 * style.theme->spacing)
        , m_width(std::max(style.width - 2.0 * m_pad, 1.0)) {
        m_geometry.scene = {style.width, 0.0, style.theme->window, {}};
        if (data.layout && data.query.rank && *data.query.rank < data.layout->grid.worldSize())
            m_lit = litGroups(*data.layout, *data.query.rank, std::nullopt);
    }

    LayoutGeometry build() {
        FigureFoot foot(m_canvas, m_width);
        if (m_style.caption)
            foot.add(m_data.caption, m_data.notes);
        const double footGap = m_pad - m_canvas.gap();
        const DiagramLegend key = legend();
        const double keyHeight = legendHeight(m_canvas, key, m_width) + m_pad;
        const double fixed = 2.0 * m_pad + headHeight() + keyHeight + footGap
            + (hasPhysical() ? heading() + m_pad : 0.0) + (hasLogical() ? heading() : 0.0);
        chooseHeights(fixed, foot);
        if (m_style.title)
            drawTitle(m_canvas, m_data.title, {m_pad, m_pad}, m_width);
        double y = m_pad + headHeight();
        if (hasPhysical())
            y = drawPhysical(y) + m_pad;
        drawLegend(m_canvas, key, {m_pad, y, m_width, keyHeight});
        y += keyHeight;
        if (hasLogical())
            y = drawLogical(y);
        foot.draw(m_pad, y + footGap);
        return std::move(m_geometry);
    }

private:
    [[nodiscard]] bool hasPhysical() const { return m_data.query.physical; }
    [[nodiscard]] bool hasLogical() const { return m_data.query.logical && m_data.layout; }
    [[nodiscard]] double heading() const { return 1.6 * m_canvas.lineHeight(); }
    [[nodiscard]] double headHeight() const { return m_style.title ? titleHeight(m_canvas) : 0.0; }

    [[nodiscard]] DiagramLegend legend() const {
        DiagramLegend key{
            &m_data.colours, m_data.layout ? &*m_data.layout : nullptr, {}, m_data.query.rank, {}};
        for (const LitGroup& group : m_lit)
            key.groups.emplace_back(layout::toString(group.kind));
        if (!hasPhysical())
            return key;
        for (const PhysicalEdge& edge : m_data.edges) {
            if (std::find(key.lines.begin(), key.lines.end(), edge.group) == key.lines.end())
                key.lines.push_back(edge.group);
        }
        return key;
    }

    [[nodiscard]] DiagramStyle part(double height) const {
        DiagramStyle style = m_style;
        style.width = m_width;
        style.height = height;
        return style;
    }

    [[nodiscard]] RankDiagram physical(double height) const {
        return buildPhysical({&m_data.cluster, m_data.layout ? &*m_data.layout : nullptr,
                                 m_data.colours, m_data.nodes, m_data.edges},
            part(height));
    }
    [[nodiscard]] RankDiagram logical(double height) const {
        return buildRankGrid({&*m_data.layout, m_data.colours}, part(height));
    }

    // Free, or the two diagrams share what is left as they would like it.
    void chooseHeights(double fixed, FigureFoot& foot) {
        const double above = hasPhysical() ? physical(0.0).preferredHeight : 0.0;
        const double below = hasLogical() ? logical(0.0).preferredHeight : 0.0;
        m_geometry.preferredHeight = fixed + foot.height() + above + below;
        m_geometry.scene.height
            = m_style.height > 0.0 ? m_style.height : m_geometry.preferredHeight;
        if (m_style.height <= 0.0 || above + below <= 0.0)
            return;
        if (m_style.height < m_geometry.preferredHeight)
            foot.keepTo(kMostNoteLines);
        const double left = std::max(m_style.height - fixed - foot.height(), 2.0);
        m_physicalHeight = left * above / (above + below);
        m_logicalHeight = left * below / (above + below);
    }

    void drawHeading(double y, const std::string& text) const {
        m_canvas.heading({m_pad, y + m_canvas.size()}, text, m_width, TextRole::Small);
    }

    double drawPart(RankDiagram diagram, double y, std::vector<Rect>& cells) {
        cells = diagram.cells;
        for (Rect& cell : cells) {
            cell.x += m_pad;
            cell.y += y;
        }
        const double height = diagram.scene.height;
        auto marks = groupOutlines(diagram, m_lit, m_data.query.rank, m_canvas.theme);
        diagram.scene.items.insert(diagram.scene.items.end(),
            std::make_move_iterator(marks.begin()), std::make_move_iterator(marks.end()));
        appendScene(m_geometry.scene, std::move(diagram.scene), {m_pad, y});
        return y + height;
    }

    double drawPhysical(double y) {
        drawHeading(y, "Physical: nodes in rack order, GPUs in airflow order, front row above");
        return drawPart(physical(m_physicalHeight), y + heading(), m_geometry.physical);
    }

    double drawLogical(double y) {
        drawHeading(y, "Logical: stage × data × tensor rank, same colours");
        return drawPart(logical(m_logicalHeight), y + heading(), m_geometry.logical);
    }

    const LayoutFigureData& m_data;
    const FigureStyle& m_style;
    LayoutGeometry m_geometry;
    Canvas m_canvas;
    double m_pad;
    double m_width;
    double m_physicalHeight = 0.0; // 0: free
    double m_logicalHeight = 0.0;
    std::vector<LitGroup> m_lit;
};

} // namespace

LayoutGeometry buildLayoutFigure(const LayoutFigureData& data, const FigureStyle& style) {
    return LayoutDrawing(data, style).build();
}

std::optional<FigureHit> hitLayout(
    const LayoutFigureData& data, const LayoutGeometry& geometry, Point at) {
    for (const auto* cells : {&geometry.physical, &geometry.logical}) {
        for (std::size_t rank = 0; rank < cells->size(); ++rank) {
            const Rect& cell = (*cells)[rank];
            if (!cell.contains(at))
                continue;
            FigureHit hit;
            hit.outline = cell;
            hit.run = data.run.id;
            hit.rank = static_cast<int>(rank);
            hit.title = "rank " + std::to_string(rank);
            if (data.colours.by == RankColour::Value && rank < data.colours.values.size())
                hit.facts.emplace_back(data.colours.scale.title,
                    valueText(data.colours.scale, data.colours.values[rank]));
            return hit;
        }
    }
    return std::nullopt;
}

} // namespace trainscope::plot
