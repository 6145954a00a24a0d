#include "core/plot/layout/PlacementFigure.h"

#include "core/plot/Palette.h"
#include "core/plot/figures/FigureFoot.h"
#include "core/plot/layout/RankDiagram.h"
#include "core/text/Numbers.h"
#include "core/text/Table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace trainscope::plot {

namespace {

using analysis::GpuPlace;
using analysis::Placement;

constexpr int kMostPlacementLines = 4;
constexpr double kWantedGpu = 22.0;
constexpr double kLeastGpu = 6.0;

class PlacementBuilder {
public:
    PlacementBuilder(const PlacementFigureData& data, const FigureStyle& style)
        : m_data(data)
        , m_style(style)
        , m_canvas{*style.theme, style.measure, m_geometry.scene} { }

    PlacementGeometry build() {
        m_geometry.scene.width = m_style.width;
        m_geometry.scene.background = m_canvas.theme.window;
        const double pad = 2.0 * m_canvas.gap();
        m_left = pad;
        m_width = std::max(1.0, m_style.width - 2.0 * pad);
        const double small = m_canvas.lineHeight();
        double y = pad + (m_style.title ? titleHeight(m_canvas) - m_canvas.gap() : 0.0);
        if (!m_data.placement) {
            drawLines(
                m_canvas.wrapped(m_data.emptyText, m_width, kMostPlacementLines, TextRole::Body),
                y + small, TextRole::Body);
            m_geometry.preferredHeight = y + 4.0 * small;
            finish();
            return std::move(m_geometry);
        }
        if (m_style.title)
            drawTitle(m_canvas, m_data.title, {m_left, pad}, m_width);
        arrange();
        for (const bool isAfter : {false, true})
            y = drawMachine(y, isAfter);
        y = drawStages(y);
        const auto foot = m_style.caption
            ? m_canvas.wrapped(m_data.caption, m_width, static_cast<int>(m_data.caption.size()))
            : std::vector<std::string>{};
        drawLines(foot, y + small, TextRole::Small);
        m_geometry.preferredHeight = y + (static_cast<double>(foot.size()) + 1.0) * small + pad;
        finish();
        return std::move(m_geometry);
    }

private:
    void finish() {
        m_geometry.scene.height
            = m_style.height > 0.0 ? m_style.height : m_geometry.preferredHeight;
    }

    void drawLines(const std::vector<std::string>& lines, double y, TextRole role) const {
        for (const auto& line : lines) {
            m_canvas.text({m_left, y}, line, m_canvas.theme.textSecondary, role);
            y += m_canvas.lineHeight(role);
        }
    }

    // Nodes side by side, as many as fit with cells of the wanted size, or smaller ones where there
    // are many.
    void arrange() {
        const Placement& placement = *m_data.placement;
        std::map<int, int> perNode;
        for (const GpuPlace& gpu : placement.gpus)
            m_columns = std::max(m_columns, (++perNode[gpu.node] + 1) / 2);
        m_nodes = static_cast<int>(perNode.size());
        int index = 0;
        for (const auto& [node, count] : perNode)
            m_indexOf[node] = index++;
        m_cell = kWantedGpu;
        constexpr int kMostRows = 4;
        const auto across = [&] {
            return std::max(1, static_cast<int>((m_width + nodeGap()) / (nodeWidth() + nodeGap())));
        };
        while (m_cell > kLeastGpu && m_nodes > across() * kMostRows)
            m_cell -= 1.0;
        if (m_nodes == 1 || m_nodes <= across())
            m_cell = std::min(m_cell, m_width / m_columns);
        m_across = std::min(across(), m_nodes);
    }

    [[nodiscard]] double nodeGap() const { return 3.0 * m_canvas.gap(); }
    [[nodiscard]] double nodeWidth() const { return m_columns * m_cell; }
    [[nodiscard]] bool hasNames() const { return nodeWidth() > 6.0 * m_canvas.size(); }
    [[nodiscard]] double nodeHeight() const {
        return 2.0 * m_cell + m_canvas.gap() + (hasNames() ? m_canvas.lineHeight() : 0.0);
    }

    double drawMachine(double top, bool isAfter) {
        const Placement& placement = *m_data.placement;
        const double small = m_canvas.lineHeight();
        m_canvas.heading({m_left, top + m_canvas.size()},
            isAfter ? (placement.helps ? "Proposed (estimate)" : "Proposed: as before") : "Before",
            m_width, TextRole::Small);
        top += small + m_canvas.gap();
        auto& cells = isAfter ? m_geometry.after : m_geometry.before;
        std::map<int, int> seen;
        for (const GpuPlace& gpu : placement.gpus)
            cells.push_back(drawGpu(gpu, seen[gpu.node]++, top, isAfter));
        const int rows = (m_nodes + m_across - 1) / m_across;
        if (hasNames()) {
            for (const auto& [node, index] : m_indexOf) {
                const Point at = originOf(index, top);
                m_canvas.text({at.x, at.y + m_canvas.size()}, fmt::format("node {}", node),
                    m_canvas.theme.textSecondary);
            }
        }
        return top + rows * (nodeHeight() + nodeGap());
    }

    [[nodiscard]] Point originOf(int node, double top) const {
        const int row = node / m_across;
        return {m_left + (node % m_across) * (nodeWidth() + nodeGap()),
            top + row * (nodeHeight() + nodeGap())};
    }

    // The front half above, the rear half below, each in the order of the air.
    Rect drawGpu(const GpuPlace& gpu, int place, double top, bool isAfter) {
        const Placement& placement = *m_data.placement;
        const Point origin = originOf(m_indexOf[gpu.node], top);
        const double names = hasNames() ? m_canvas.lineHeight() : 0.0;
        const int row = place >= m_columns ? 1 : 0;
        const double inset = m_cell > 10.0 ? 1.0 : 0.5;
        const Rect rect{origin.x + (place - row * m_columns) * m_cell,
            origin.y + names + row * (m_cell + m_canvas.gap()), m_cell - inset, m_cell - inset};
        const int stage = isAfter ? gpu.stageAfter : gpu.stageBefore;
        const Color color = indexColor(stage, static_cast<int>(placement.stages.size()));
        m_canvas.fill(rect, color);
        const std::string text = std::to_string(isAfter ? gpu.rankAfter : gpu.rankBefore);
        if (m_canvas.width(text) + 2.0 <= rect.width && m_canvas.size() + 2.0 <= rect.height)
            m_canvas.text({rect.x + rect.width / 2.0, m_canvas.centred(rect)}, text,
                readableOn(color), TextRole::Small, Align::Centre);
        return rect;
    }

    // "stage 0 · 24 → 25 layers", in columns.
    double drawStages(double top) const {
        const Placement& placement = *m_data.placement;
        std::vector<std::string> texts;
        double widest = 0.0;
        for (std::size_t stage = 0; stage < placement.stages.size(); ++stage) {
            const auto& one = placement.stages[stage];
            texts.push_back(one.layersBefore == one.layersAfter
                    ? fmt::format("stage {}: {}", stage, text::counted(one.layersBefore, "layer"))
                    : fmt::format("stage {}: {} → {}", stage, one.layersBefore,
                        text::counted(one.layersAfter, "layer")));
            widest = std::max(widest, m_canvas.width(texts.back()));
        }
        const double side = m_canvas.size();
        const double column = side + widest + 4.0 * m_canvas.gap();
        const auto across = std::max<std::size_t>(1, static_cast<std::size_t>(m_width / column));
        const double line = m_canvas.lineHeight() + m_canvas.gap() / 2.0;
        for (std::size_t stage = 0; stage < texts.size(); ++stage) {
            const double x = m_left + static_cast<double>(stage % across) * column;
            const std::size_t row = stage / across;
            const double y = top + static_cast<double>(row) * line;
            m_canvas.fill({x, y, side, side},
                indexColor(static_cast<int>(stage), static_cast<int>(texts.size())));
            m_canvas.text({x + side + m_canvas.gap(), m_canvas.centred(y + side / 2.0)},
                texts[stage], m_canvas.theme.text);
        }
        const std::size_t rows = (texts.size() + across - 1) / across;
        return top + static_cast<double>(rows) * line;
    }

    const PlacementFigureData& m_data;
    const FigureStyle& m_style;
    PlacementGeometry m_geometry;
    Canvas m_canvas;
    double m_left = 0.0;
    double m_width = 0.0;
    double m_cell = kWantedGpu;
    int m_columns = 1; // of a node
    int m_nodes = 0;
    int m_across = 1;
    std::map<int, int> m_indexOf; // of nodes
};

} // namespace

std::string placementCsv(const PlacementFigureData& data) {
    std::string csv = "run,node,gpu,slot,half,temperature (°C),lost (1),rank before,stage before,"
                      "layers before,rank after,stage after,layers after\n";
    if (!data.placement)
        return csv;
    const Placement& placement = *data.placement;
    for (const GpuPlace& gpu : placement.gpus) {
        const auto layers
            = [&](int stage) { return placement.stages[static_cast<std::size_t>(stage)]; };
        text::addCsvLine(csv,
            {data.runName, gpu.node, gpu.local, gpu.slot, gpu.isRear ? "rear" : "front",
                gpu.temperatureC, gpu.lost, gpu.rankBefore, gpu.stageBefore,
                layers(gpu.stageBefore).layersBefore, gpu.rankAfter, gpu.stageAfter,
                layers(gpu.stageAfter).layersAfter});
    }
    return csv;
}

PlacementGeometry buildPlacementFigure(const PlacementFigureData& data, const FigureStyle& style) {
    return PlacementBuilder(data, style).build();
}

} // namespace trainscope::plot
