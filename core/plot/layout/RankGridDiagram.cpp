#include "core/plot/layout/RankGridDiagram.h"

#include "core/plot/Palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace trainscope::plot {

namespace {

using layout::GroupKind;

constexpr double kFaded = 0.75; // of the background over what is not lit

class Diagram {
public:
    Diagram(const RankGridData& data, const DiagramStyle& style)
        : m_data(data)
        , m_grid(data.layout->grid)
        , m_degrees(m_grid.degrees())
        , m_theme(*style.theme)
        , m_style(style) {
        const double step = m_theme.spacing;
        const double names
            = style.measure(fmt::format("stage {}", m_degrees.pipeline), TextRole::Small, false);
        m_blocks = m_degrees.data * m_degrees.context;
        m_area = {names + 2 * step, m_theme.smallSize + 3 * step, 0.0, 0.0};
        m_area.width = std::max(0.0, style.width - m_area.x - step);
        m_area.height = std::max(0.0, style.height - m_area.y - step);
        // Blocks stand apart where there is room for it.
        const int columns = m_blocks * m_degrees.tensor;
        m_gap = m_blocks > 1 && m_area.width > 6.0 * columns ? step / 2 : 0.0;
        m_cellWidth = std::max(0.0, (m_area.width - m_gap * (m_blocks - 1)) / columns);
        m_rowHeight = m_area.height / m_degrees.pipeline;
    }

    RankGridDiagram build() {
        RankGridDiagram diagram;
        diagram.scene = {m_style.width, m_style.height, m_theme.window, {}};
        diagram.cells.resize(static_cast<std::size_t>(m_grid.worldSize()));
        collectLit();
        for (int rank = 0; rank < m_grid.worldSize(); ++rank) {
            const Rect rect = cellOf(rank);
            diagram.cells[static_cast<std::size_t>(rank)] = rect;
            addCell(diagram.scene, rank, rect);
        }
        addHeadings(diagram.scene);
        return diagram;
    }

private:
    void collectLit() {
        if (!m_data.rank)
            return;
        const std::vector<GroupKind> all{GroupKind::Tensor, GroupKind::Context, GroupKind::Data,
            GroupKind::Pipeline, GroupKind::Expert};
        for (const auto kind : m_data.group ? std::vector{*m_data.group} : all) {
            const auto group = m_grid.groupOf(kind, *m_data.rank);
            m_lit.insert(group.begin(), group.end());
        }
    }

    [[nodiscard]] Rect cellOf(int rank) const {
        const auto at = m_grid.position(rank);
        const int block = at.data * m_degrees.context + at.context;
        const int column = block * m_degrees.tensor + at.tensor;
        const double inset = m_rowHeight > 6.0 ? 1.0 : 0.0;
        const double side = m_cellWidth > 6.0 ? 1.0 : 0.0;
        return {m_area.x + column * m_cellWidth + block * m_gap,
            m_area.y + at.pipeline * m_rowHeight, std::max(0.0, m_cellWidth - side),
            std::max(0.0, m_rowHeight - inset)};
    }

    [[nodiscard]] int indexOf(int rank) const {
        const auto at = m_grid.position(rank);
        switch (m_data.colour) {
        case RankColour::Tensor:
            return at.tensor;
        case RankColour::Context:
            return at.context;
        case RankColour::Expert:
            return at.expert;
        case RankColour::Data:
            return at.data;
        case RankColour::Node:
            return m_data.layout->nodeOf(rank);
        case RankColour::Pipeline:
        case RankColour::Value:
            break;
        }
        return at.pipeline;
    }

    [[nodiscard]] Color colourOf(int rank) const {
        if (m_data.colour != RankColour::Value)
            return seriesColor(static_cast<std::size_t>(indexOf(rank)));
        const auto at = static_cast<std::size_t>(rank);
        if (at >= m_data.values.size() || !m_data.values[at])
            return m_theme.gap;
        const double span = m_data.high - m_data.low;
        const double fraction = span > 0.0 ? (*m_data.values[at] - m_data.low) / span : 0.5;
        return m_data.isHeat ? inferno(fraction) : viridis(fraction);
    }

    void addCell(PlotScene& scene, int rank, const Rect& rect) {
        Color color = colourOf(rank);
        const bool isLit = m_lit.empty() || m_lit.contains(rank);
        if (!isLit)
            color = blend(color, m_theme.window, kFaded);
        const bool isMissing = m_data.colour == RankColour::Value && color == m_theme.gap;
        scene.items.push_back(
            FillRect{rect, color, 0.0, isMissing ? Hatch::Diagonal : Hatch::None});
        if (m_data.rank == rank)
            addOutline(scene, rect);
        const std::string text = std::to_string(rank);
        // All cells have a number, or none has.
        const double room
            = m_style.measure(std::to_string(m_grid.worldSize() - 1), TextRole::Small, false)
            + m_theme.spacing;
        if (isLit && rect.width >= room && rect.height >= m_theme.smallSize + m_theme.spacing)
            scene.items.push_back(Label{
                {rect.x + rect.width / 2, rect.y + rect.height / 2 + m_theme.smallSize * 0.35},
                text, readableOn(color), TextRole::Small, Align::Centre, false, 0.0});
    }

    void addOutline(PlotScene& scene, const Rect& rect) const {
        const std::vector<Point> corners{{rect.x, rect.y}, {rect.right(), rect.y},
            {rect.right(), rect.bottom()}, {rect.x, rect.bottom()}, {rect.x, rect.y}};
        scene.items.push_back(Polyline{corners, m_theme.accent, 2.0});
    }

    void addHeadings(PlotScene& scene) const {
        const double step = m_theme.spacing;
        // Every n-th stage, so that the names do not touch.
        const int everyRow
            = std::max(1, static_cast<int>(std::ceil((m_theme.smallSize + 2) / m_rowHeight)));
        for (int stage = 0; stage < m_degrees.pipeline; stage += everyRow)
            scene.items.push_back(
                Label{{m_area.x - step,
                          m_area.y + (stage + 0.5) * m_rowHeight + m_theme.smallSize * 0.35},
                    fmt::format("stage {}", stage), m_theme.textSecondary, TextRole::Small,
                    Align::Right, false, 0.0});
        const double block = m_cellWidth * m_degrees.tensor + m_gap;
        const double widest = m_style.measure(blockName(m_blocks - 1), TextRole::Small, false);
        const int everyBlock
            = std::max(1, static_cast<int>(std::ceil((widest + 2 * step) / std::max(block, 1e-9))));
        for (int at = 0; at < m_blocks; at += everyBlock)
            scene.items.push_back(Label{{m_area.x + at * block, m_area.y - step}, blockName(at),
                m_theme.textSecondary, TextRole::Small, Align::Left, false, 0.0});
    }

    [[nodiscard]] std::string blockName(int block) const {
        if (m_degrees.context == 1)
            return fmt::format("dp {}", block);
        return fmt::format("dp {} cp {}", block / m_degrees.context, block % m_degrees.context);
    }

    const RankGridData& m_data;
    const layout::RankGrid& m_grid;
    const layout::Degrees& m_degrees;
    const Theme& m_theme;
    const DiagramStyle& m_style;
    std::set<int> m_lit;
    Rect m_area;
    int m_blocks = 1;
    double m_gap = 0.0;
    double m_cellWidth = 0.0;
    double m_rowHeight = 0.0;
};

} // namespace

RankGridDiagram buildRankGrid(const RankGridData& data, const DiagramStyle& style) {
    return Diagram(data, style).build();
}

std::optional<int> rankAt(const RankGridDiagram& diagram, double x, double y) {
    for (std::size_t rank = 0; rank < diagram.cells.size(); ++rank) {
        const Rect& cell = diagram.cells[rank];
        if (x >= cell.x && x < cell.right() && y >= cell.y && y < cell.bottom())
            return static_cast<int>(rank);
    }
    return std::nullopt;
}

} // namespace trainscope::plot
