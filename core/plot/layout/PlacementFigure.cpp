#include "core/plot/layout/PlacementFigure.h"

#include "core/plot/Palette.h"
#include "core/plot/layout/RankDiagram.h"
#include "core/text/NumberMarks.h"
#include "core/text/Numbers.h"
#include "core/text/Table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace trainscope::plot {

namespace {

using analysis::GpuPlace;
using analysis::Placement;

constexpr double kWantedGpu = 22.0;
constexpr double kLeastGpu = 6.0;

// The placement of the data may be another one by now.
void tellPlace(const PlacementFigureData& data, std::size_t index, Hit& hit) {
    if (!data.placement || index >= data.placement->gpus.size())
        return;
    const GpuPlace& gpu = data.placement->gpus[index];
    const auto layers = [&](int stage, bool isAfter) {
        const auto& one = data.placement->stages[static_cast<std::size_t>(stage)];
        return text::counted(isAfter ? one.layersAfter : one.layersBefore, "layer");
    };
    hit.title
        = fmt::format("GPU {} of node {}, {}", gpu.local, gpu.node, gpu.isRear ? "rear" : "front");
    hit.facts = {{"now",
                     fmt::format("rank {}, stage {} of {}", gpu.rankBefore, gpu.stageBefore,
                         layers(gpu.stageBefore, false))},
        {"proposed",
            fmt::format("rank {}, stage {} of {}", gpu.rankAfter, gpu.stageAfter,
                layers(gpu.stageAfter, true))},
        {"temperature", fmt::format("{:.1f} °C", text::worded(gpu.temperatureC))},
        {"clock lost", text::percent(gpu.lost)}};
}

class PlacementBuilder {
public:
    PlacementBuilder(const PlacementFigureData& data, const FigureStyle& style)
        : m_data(data)
        , m_sheet(m_picture, style)
        , m_left(m_sheet.edge())
        , m_width(m_sheet.width()) { }

    Picture build() {
        if (!m_data.placement) {
            m_sheet.drawEmpty(m_data);
            return std::move(m_picture);
        }
        arrange();
        layStages();
        const auto foot = m_sheet.style.caption
            ? m_sheet.wrapped(m_data.caption, m_width, static_cast<int>(m_data.caption.size()))
            : std::vector<std::string>{};
        const double small = m_sheet.lineHeight();
        // The caption is no foot of the sheet: it follows the machines.
        const double titleGap = m_sheet.style.title ? m_sheet.gap() : 0.0;
        const Rect area = m_sheet.open({m_data.title, {}, {}, {}},
            2.0 * machineHeight() + stagesHeight()
                + (static_cast<double>(foot.size()) + 1.0) * small - titleGap);
        double y = area.y - titleGap;
        for (const bool isAfter : {false, true})
            y = drawMachine(y, isAfter);
        drawStages(y);
        drawLines(foot, y + stagesHeight() + small);
        return std::move(m_picture);
    }

private:
    void drawLines(const std::vector<std::string>& lines, double y) const {
        for (const auto& line : lines) {
            m_sheet.note({m_left, y}, line);
            y += m_sheet.lineHeight();
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

    [[nodiscard]] double nodeGap() const { return 3.0 * m_sheet.gap(); }
    [[nodiscard]] double nodeWidth() const { return m_columns * m_cell; }
    [[nodiscard]] bool hasNames() const { return nodeWidth() > 6.0 * m_sheet.size(); }
    [[nodiscard]] double nodeHeight() const {
        return 2.0 * m_cell + m_sheet.gap() + (hasNames() ? m_sheet.lineHeight() : 0.0);
    }

    [[nodiscard]] double machineHeight() const {
        const int rows = (m_nodes + m_across - 1) / m_across;
        return m_sheet.lineHeight() + m_sheet.gap() + rows * (nodeHeight() + nodeGap());
    }

    double drawMachine(double top, bool isAfter) {
        const Placement& placement = *m_data.placement;
        m_sheet.heading({m_left, top + m_sheet.size()},
            isAfter ? (placement.helps ? "Proposed (estimate)" : "Proposed: as before") : "Before",
            m_width, TextRole::Small);
        const double bottom = top + machineHeight();
        top += m_sheet.lineHeight() + m_sheet.gap();
        std::map<int, int> seen;
        for (std::size_t i = 0; i < placement.gpus.size(); ++i) {
            const GpuPlace& gpu = placement.gpus[i];
            const Rect rect = drawGpu(gpu, seen[gpu.node]++, top, isAfter);
            m_sheet.target(rect, {m_data.run, gpu.rankBefore},
                [&data = m_data, i](Hit& hit) { tellPlace(data, i, hit); });
        }
        if (hasNames()) {
            for (const auto& [node, index] : m_indexOf) {
                const Point at = originOf(index, top);
                m_sheet.text({at.x, at.y + m_sheet.size()}, fmt::format("node {}", node),
                    m_sheet.theme.textSecondary);
            }
        }
        return bottom;
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
        const double names = hasNames() ? m_sheet.lineHeight() : 0.0;
        const int row = place >= m_columns ? 1 : 0;
        const double inset = m_cell > 10.0 ? 1.0 : 0.5;
        const Rect rect{origin.x + (place - row * m_columns) * m_cell,
            origin.y + names + row * (m_cell + m_sheet.gap()), m_cell - inset, m_cell - inset};
        const int stage = isAfter ? gpu.stageAfter : gpu.stageBefore;
        const Color color = indexColor(stage, static_cast<int>(placement.stages.size()));
        m_sheet.fill(rect, color);
        const std::string text = std::to_string(isAfter ? gpu.rankAfter : gpu.rankBefore);
        if (m_sheet.width(text) + 2.0 <= rect.width && m_sheet.size() + 2.0 <= rect.height)
            m_sheet.text({rect.x + rect.width / 2.0, m_sheet.centred(rect)}, text,
                readableOn(color), TextRole::Small, Align::Centre);
        return rect;
    }

    // "stage 0 · 24 → 25 layers", in columns.
    void layStages() {
        const Placement& placement = *m_data.placement;
        double widest = 0.0;
        for (std::size_t stage = 0; stage < placement.stages.size(); ++stage) {
            const auto& one = placement.stages[stage];
            m_stages.push_back(one.layersBefore == one.layersAfter
                    ? fmt::format("stage {}: {}", stage, text::counted(one.layersBefore, "layer"))
                    : fmt::format("stage {}: {} → {}", stage, one.layersBefore,
                        text::counted(one.layersAfter, "layer")));
            widest = std::max(widest, m_sheet.width(m_stages.back()));
        }
        m_stageColumn = m_sheet.size() + widest + 4.0 * m_sheet.gap();
        m_stagesAcross
            = std::max<std::size_t>(1, static_cast<std::size_t>(m_width / m_stageColumn));
    }

    [[nodiscard]] double stageLine() const { return m_sheet.lineHeight() + m_sheet.gap() / 2.0; }
    [[nodiscard]] double stagesHeight() const {
        const std::size_t rows = (m_stages.size() + m_stagesAcross - 1) / m_stagesAcross;
        return static_cast<double>(rows) * stageLine();
    }

    void drawStages(double top) const {
        const double side = m_sheet.size();
        for (std::size_t stage = 0; stage < m_stages.size(); ++stage) {
            const double x = m_left + static_cast<double>(stage % m_stagesAcross) * m_stageColumn;
            const std::size_t row = stage / m_stagesAcross;
            const double y = top + static_cast<double>(row) * stageLine();
            m_sheet.fill({x, y, side, side},
                indexColor(static_cast<int>(stage), static_cast<int>(m_stages.size())));
            m_sheet.text({x + side + m_sheet.gap(), m_sheet.centred(y + side / 2.0)},
                m_stages[stage], m_sheet.theme.text);
        }
    }

    const PlacementFigureData& m_data;
    Picture m_picture;
    Sheet m_sheet;
    double m_left;
    double m_width;
    double m_cell = kWantedGpu;
    int m_columns = 1; // columns in a node
    int m_nodes = 0;
    int m_across = 1;
    std::map<int, int> m_indexOf; // position by node
    std::vector<std::string> m_stages; // in words
    double m_stageColumn = 0.0; // its width
    std::size_t m_stagesAcross = 1;
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

Picture buildPlacementFigure(const PlacementFigureData& data, const FigureStyle& style) {
    return PlacementBuilder(data, style).build();
}

} // namespace trainscope::plot
