#include "core/plot/layout/RankDiagram.h"

#include "core/plot/figures/ColourScale.h"
#include "core/text/NumberMarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trainscope::plot {

namespace {

constexpr int kPalette = 8; // colours of the shared palette

std::optional<double> valueOf(const RankColours& colours, int rank) {
    const auto at = static_cast<std::size_t>(rank);
    return at < colours.values.size() ? colours.values[at] : std::nullopt;
}

} // namespace

int colourIndex(RankColour colour, const layout::Layout& layout, int rank) {
    const auto at = layout.grid.position(rank);
    switch (colour) {
    case RankColour::Tensor:
        return at.tensor;
    case RankColour::Context:
        return at.context;
    case RankColour::Expert:
        return at.expert;
    case RankColour::Data:
        return at.data;
    case RankColour::Node:
        return layout.nodeOf(rank);
    case RankColour::Pipeline:
    case RankColour::Value:
        break;
    }
    return at.pipeline;
}

int colourCount(RankColour colour, const layout::Layout& layout) {
    const auto& degrees = layout.grid.degrees();
    switch (colour) {
    case RankColour::Tensor:
        return degrees.tensor;
    case RankColour::Context:
        return degrees.context;
    case RankColour::Expert:
        return degrees.expert;
    case RankColour::Data:
        return degrees.data;
    case RankColour::Node:
        return layout.nodes;
    case RankColour::Pipeline:
    case RankColour::Value:
        break;
    }
    return degrees.pipeline;
}

Color indexColor(int index, int count) {
    if (count <= kPalette)
        return seriesColor(static_cast<std::size_t>(std::max(index, 0)));
    return viridis(static_cast<double>(index) / (count - 1));
}

Color rankColor(
    const RankColours& colours, const layout::Layout* layout, int rank, const Theme& theme) {
    if (colours.by == RankColour::Value) {
        const auto value = valueOf(colours, rank);
        return value ? scaleColor(colours.scale, *value) : theme.gap;
    }
    if (const auto at = static_cast<std::size_t>(rank); at < colours.indices.size())
        return indexColor(colours.indices[at], colours.count);
    if (layout == nullptr || rank >= layout->grid.worldSize())
        return theme.gap;
    return indexColor(colourIndex(colours.by, *layout, rank), colourCount(colours.by, *layout));
}

std::string shortValue(const FigureAxis& scale, const std::optional<double>& value) {
    if (!value)
        return {};
    const double shown = *value * scale.unit.scale;
    if (scale.unit.unit == "°C")
        return fmt::format("{:.0f}°", shown);
    if (scale.unit.unit == "%")
        return fmt::format("{:.0f}%", shown);
    // All cells have as many decimals.
    const double greatest = std::max(std::abs(scale.range.low * scale.unit.scale),
        std::abs(scale.range.high * scale.unit.scale));
    constexpr double kHundred = 100.0;
    constexpr double kTen = 10.0;
    return fmt::format("{:.{}f}", text::worded(shown),
        greatest >= kHundred   ? 0
            : greatest >= kTen ? 1
                               : 2);
}

void recolour(RankDiagram& diagram, const RankColours& colours, const layout::Layout* layout,
    const Theme& theme) {
    auto& items = diagram.scene.items;
    for (std::size_t rank = 0; rank < diagram.items.size(); ++rank) {
        if (diagram.cells[rank].width <= 0.0)
            continue;
        const RankCell& cell = diagram.items[rank];
        const int number = static_cast<int>(rank);
        auto& fill = std::get<FillRect>(items[cell.fill]);
        fill.fill = rankColor(colours, layout, number, theme);
        const bool isMissing = colours.by == RankColour::Value && !valueOf(colours, number);
        fill.hatch = isMissing ? Hatch::Diagonal : Hatch::None;
        if (cell.labels > 0) {
            const Color ink = isMissing ? theme.text : readableOn(fill.fill);
            for (std::size_t i = 0; i < cell.labels; ++i)
                std::get<Label>(items[cell.firstLabel + i]).color = ink;
        }
        if (cell.value)
            std::get<Label>(items[*cell.value]).text
                = shortValue(colours.scale, valueOf(colours, number));
    }
}

} // namespace trainscope::plot
