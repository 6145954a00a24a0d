#include "core/plot/layout/PlacementFigure.h"

#include "core/plot/layout/PhysicalDiagram.h"
#include "core/text/NumberMarks.h"
#include "core/text/Table.h"

#include <tuple>

namespace trainscope::plot {

namespace {

using analysis::GpuPlace;
using analysis::Placement;

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
        , m_sheet(m_picture, style) { }

    Picture build() {
        if (!m_data.placement) {
            m_sheet.drawEmpty(m_data);
            return std::move(m_picture);
        }
        const RankDiagram before = machine(false);
        const RankDiagram after = machine(true);
        // The caption is the proposal: it is told whole.
        const Rect area = m_sheet.open(m_data,
            before.scene.height + after.scene.height + 2.0 * heading() + 2.0 * m_sheet.edge()
                + layStages({}, false),
            static_cast<int>(m_data.caption.size()));
        const double y = drawMachine(after, drawMachine(before, area.y, false), true);
        layStages({area.x, y}, true);
        m_sheet.close();
        return std::move(m_picture);
    }

private:
    [[nodiscard]] double heading() const { return 1.6 * m_sheet.lineHeight(); }

    // Nodes as the physical diagram has them, a GPU by the rank and the stage that it has.
    [[nodiscard]] RankDiagram machine(bool isAfter) const {
        const Placement& placement = *m_data.placement;
        layout::Cluster cluster;
        RankColours colours;
        colours.count = static_cast<int>(placement.stages.size());
        for (const GpuPlace& gpu : placement.gpus) {
            if (cluster.nodes.empty() || cluster.nodes.back().node != gpu.node)
                cluster.nodes.push_back({gpu.node, 0, {}});
            const int rank = isAfter ? gpu.rankAfter : gpu.rankBefore;
            cluster.nodes.back().gpus.push_back({rank, gpu.local, gpu.slot, gpu.isRear, {}});
            const auto at = static_cast<std::size_t>(rank);
            colours.indices.resize(std::max(colours.indices.size(), at + 1));
            colours.indices[at] = isAfter ? gpu.stageAfter : gpu.stageBefore;
        }
        FigureStyle style = m_sheet.style;
        style.width = m_sheet.width();
        style.height = 0.0;
        return buildPhysical({&cluster, nullptr, std::move(colours), {}, {}}, style);
    }

    // Its cells come as the placement's GPUs do.
    double drawMachine(RankDiagram diagram, double y, bool isAfter) {
        m_sheet.heading({m_sheet.edge(), y + m_sheet.size()},
            !isAfter                      ? "Before"
                : m_data.placement->helps ? "Proposed (estimate)"
                                          : "Proposed: as before",
            m_sheet.width(), TextRole::Small);
        const double height = diagram.scene.height;
        for (std::size_t i = 0; i < diagram.targets.size(); ++i) {
            Target& target = diagram.targets[i];
            target.shown = {m_data.run, m_data.placement->gpus[i].rankBefore};
            target.tell = [&data = m_data, i](Hit& hit, const Spot&) { tellPlace(data, i, hit); };
        }
        m_picture.append(std::move(diagram), {m_sheet.edge(), y + heading()});
        return y + heading() + height + m_sheet.edge();
    }

    // "stage 0: 24 → 25 layers"; returns the height.
    double layStages(Point at, bool isDrawn) const {
        const double side = m_sheet.size();
        const auto& stages = m_data.placement->stages;
        LegendFlow flow(m_sheet,
            {side, m_sheet.gap(), 4.0 * m_sheet.gap(), m_sheet.lineHeight() + m_sheet.gap() / 2.0,
                side / 2.0, m_sheet.theme.text},
            at, m_sheet.width(), isDrawn);
        for (std::size_t stage = 0; stage < stages.size(); ++stage) {
            const auto& [before, after]
                = std::tie(stages[stage].layersBefore, stages[stage].layersAfter);
            const std::string words = before == after
                ? fmt::format("stage {}: {}", stage, text::counted(before, "layer"))
                : fmt::format("stage {}: {} → {}", stage, before, text::counted(after, "layer"));
            flow.add(words, [&](Point left) {
                m_sheet.fill({left.x, left.y - side / 2.0, side, side},
                    indexColor(static_cast<int>(stage), static_cast<int>(stages.size())));
            });
        }
        return flow.height();
    }

    const PlacementFigureData& m_data;
    Picture m_picture;
    Sheet m_sheet;
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
