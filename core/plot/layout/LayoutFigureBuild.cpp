#include "core/plot/figures/FigureParts.h"
#include "core/plot/layout/GroupOutlines.h"
#include "core/plot/layout/LayoutFigure.h"
#include "core/plot/layout/PhysicalDiagram.h"
#include "core/text/Table.h"

#include <fmt/format.h>

#include <iterator>

namespace trainscope::plot {

namespace {

constexpr int kMostNoteLines = 3; // per note

class LayoutDrawing {
public:
    LayoutDrawing(const LayoutFigureData& data, const FigureStyle& style)
        : m_data(data)
        , m_style(style)
        , m_sheet(m_picture, style) {
        if (data.layout && data.query.rank && *data.query.rank < data.layout->grid.worldSize())
            m_lit = litGroups(*data.layout, *data.query.rank, std::nullopt);
    }

    Picture build() {
        const DiagramLegend key{&m_data.colours, m_data.layout ? &*m_data.layout : nullptr, m_lit,
            m_data.query.rank, m_data.edges};
        const double keyHeight = legendHeight(m_sheet, key, m_sheet.width()) + m_sheet.edge();
        const Rect area = open(keyHeight + m_sheet.edge() - m_sheet.gap() + heading()
            + m_sheet.edge() + (m_data.layout ? heading() : 0.0));
        double y = drawPart("Physical: nodes in rack order, GPUs in airflow order, front row above",
                       physical(m_physicalHeight), area.y)
            + m_sheet.edge();
        drawLegend(m_sheet, key, {area.x, y, area.width, keyHeight});
        y += keyHeight;
        if (m_data.layout)
            drawPart(
                "Logical: stage × data × tensor rank, same colours", logical(m_logicalHeight), y);
        m_sheet.close();
        return std::move(m_picture);
    }

private:
    [[nodiscard]] double heading() const { return 1.6 * m_sheet.lineHeight(); }

    [[nodiscard]] FigureStyle part(double height) const {
        FigureStyle style = m_style;
        style.width = m_sheet.width();
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

    // The two diagrams are free, or share what is left as they would like it.
    Rect open(double fixed) {
        const double above = physical(0.0).preferredHeight;
        const double below = m_data.layout ? logical(0.0).preferredHeight : 0.0;
        const Rect area = m_sheet.open(m_data, fixed + above + below, kMostNoteLines);
        if (m_style.height > 0.0 && above + below > 0.0) {
            const double left = std::max(area.height - fixed, 2.0);
            m_physicalHeight = left * above / (above + below);
            m_logicalHeight = left * below / (above + below);
        }
        return area;
    }

    double drawPart(const std::string& title, RankDiagram diagram, double y) {
        m_sheet.heading(
            {m_sheet.edge(), y + m_sheet.size()}, title, m_sheet.width(), TextRole::Small);
        const double bottom = y + heading() + diagram.scene.height;
        auto marks = groupOutlines(diagram, m_lit, m_data.query.rank, m_sheet.theme);
        diagram.scene.items.insert(diagram.scene.items.end(),
            std::make_move_iterator(marks.begin()), std::make_move_iterator(marks.end()));
        m_picture.append(std::move(diagram), {m_sheet.edge(), y + heading()});
        return bottom;
    }

    const LayoutFigureData& m_data;
    const FigureStyle& m_style;
    Picture m_picture;
    Sheet m_sheet;
    double m_physicalHeight = 0.0; // 0: free
    double m_logicalHeight = 0.0;
    std::vector<LitGroup> m_lit;
};

using Cells = std::vector<text::Cell>;

// Six cells, empty where no layout says them.
void addCoordinates(const layout::Layout* layout, int rank, Cells& cells) {
    if (layout == nullptr || rank >= layout->grid.worldSize())
        return cells.resize(cells.size() + 6);
    const auto at = layout->grid.position(rank);
    for (const int coordinate : {at.tensor, at.context, at.data, at.expert, at.pipeline})
        cells.emplace_back(coordinate);
    cells.push_back(
        layout->chunks.empty() ? text::Cell() : text::Cell(layersOf(layout->chunks, at.pipeline)));
}

// Names of the groups that any rank has bytes of.
std::set<std::string> groupsIn(const analysis::RunBytes& bytes) {
    std::set<std::string> groups;
    for (const auto& rank : bytes.ranks) {
        for (const auto& one : rank)
            groups.insert(one.group);
    }
    return groups;
}

void addBytes(const analysis::RunBytes& bytes, std::size_t rank,
    const std::set<std::string>& groups, Cells& cells) {
    for (const auto& group : groups) {
        analysis::GroupBytes none;
        const auto* found = &none;
        if (rank < bytes.ranks.size()) {
            for (const auto& one : bytes.ranks[rank])
                found = one.group == group ? &one : found;
        }
        cells.emplace_back(found->computed);
        cells.emplace_back(found->measured);
    }
}

} // namespace

Picture buildLayoutFigure(const LayoutFigureData& data, const FigureStyle& style) {
    return LayoutDrawing(data, style).build();
}

std::string layoutCsv(const LayoutFigureData& data) {
    const auto* layout = data.layout ? &*data.layout : nullptr;
    const auto groups = groupsIn(data.bytes);
    const bool hasValues = data.colours.by == RankColour::Value;
    Cells titles{"rank", "rack", "node", "local", "slot", "side", "nic", "tp", "cp", "dp", "ep",
        "pp", "layers"};
    if (hasValues)
        titles.emplace_back(
            fmt::format("{} [{}]", data.colours.scale.title, data.colours.scale.siUnit));
    for (const auto& group : groups) {
        titles.emplace_back(group + "_computed_b_per_step");
        titles.emplace_back(group + "_measured_b_per_step");
    }
    std::string out;
    text::addCsvLine(out, titles);
    for (const auto& node : data.cluster.nodes) {
        for (const auto& gpu : node.gpus) {
            const auto at = static_cast<std::size_t>(gpu.rank);
            Cells cells{
                gpu.rank, node.rack, node.node, gpu.local, gpu.slot, gpu.isRear ? "rear" : "front"};
            cells.push_back(gpu.nic && data.cluster.topology
                    ? text::Cell(data.cluster.topology->devices()[*gpu.nic].name)
                    : text::Cell());
            addCoordinates(layout, gpu.rank, cells);
            if (hasValues)
                cells.push_back(
                    at < data.colours.values.size() ? data.colours.values[at] : text::Cell());
            addBytes(data.bytes, at, groups, cells);
            text::addCsvLine(out, cells);
        }
    }
    return out;
}

} // namespace trainscope::plot
