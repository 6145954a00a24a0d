#include "core/plot/layout/PlacementFigure.h"
#include "core/text/NumberMarks.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

namespace trainscope::plot {

namespace {

std::optional<std::size_t> indexAt(const std::vector<Rect>& cells, double x, double y) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (cells[i].contains({x, y}))
            return i;
    }
    return std::nullopt;
}

} // namespace

std::optional<FigureHit> hitPlacement(
    const PlacementFigureData& data, const PlacementGeometry& geometry, double x, double y) {
    const auto before = indexAt(geometry.before, x, y);
    const auto at = before ? before : indexAt(geometry.after, x, y);
    if (!at || !data.placement || *at >= data.placement->gpus.size())
        return std::nullopt; // what is drawn may be of another run
    const analysis::Placement& placement = *data.placement;
    const analysis::GpuPlace& gpu = placement.gpus[*at];
    const auto layers = [&](int stage, bool isAfter) {
        const auto& one = placement.stages[static_cast<std::size_t>(stage)];
        return isAfter ? one.layersAfter : one.layersBefore;
    };
    FigureHit hit;
    hit.run = data.run;
    hit.outline = (before ? geometry.before : geometry.after)[*at];
    hit.rank = gpu.rankBefore;
    hit.title
        = fmt::format("GPU {} of node {}, {}", gpu.local, gpu.node, gpu.isRear ? "rear" : "front");
    hit.facts = {{"now",
                     fmt::format("rank {}, stage {} of {}", gpu.rankBefore, gpu.stageBefore,
                         text::counted(layers(gpu.stageBefore, false), "layer"))},
        {"proposed",
            fmt::format("rank {}, stage {} of {}", gpu.rankAfter, gpu.stageAfter,
                text::counted(layers(gpu.stageAfter, true), "layer"))},
        {"temperature", fmt::format("{:.1f} °C", text::worded(gpu.temperatureC))},
        {"lost to throttling", text::percent(gpu.lost)}};
    return hit;
}

} // namespace trainscope::plot
