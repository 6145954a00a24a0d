#pragma once
// Layouts, clusters and styles made by hand, for the geometry of diagrams.

#include "core/layout/Cluster.h"
#include "core/layout/Layout.h"
#include "core/plot/layout/RankDiagram.h"
#include "core/plot/support/Targets.h"

#include <string_view>
#include <utility>
#include <vector>

namespace trainscope::test {

// Every character is 6 units wide, of small text.
inline plot::FigureStyle diagramStyle(
    double width, double height, const plot::Theme& theme = plot::darkTheme()) {
    plot::FigureStyle style;
    style.theme = &theme;
    style.width = width;
    style.height = height;
    style.measure = [&theme](std::string_view text, plot::TextRole role, bool) {
        // Bytes that begin a character.
        double characters = 0.0;
        for (const char c : text)
            characters += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1.0 : 0.0;
        return 0.55 * theme.size(role) * characters;
    };
    return style;
}

struct Shape {
    int nodes = 1;
    int gpus = 8;
    int tensor = 1;
    int pipeline = 1;
    int context = 1;
    int expert = 1;
};

inline layout::Layout demoLayout(const Shape& shape) {
    layout::LayoutRequest request;
    request.nodes = shape.nodes;
    request.gpusPerNode = shape.gpus;
    request.tensor = shape.tensor;
    request.context = shape.context;
    request.pipeline = shape.pipeline;
    if (shape.expert > 1)
        request.expert = shape.expert;
    return layout::makeLayout(request).value();
}

inline layout::Cluster demoCluster(int nodes, int gpus) {
    layout::ClusterFacts facts;
    for (int rank = 0; rank < nodes * gpus; ++rank)
        facts.gpus.push_back({rank, rank / gpus, rank % gpus, {}, {}});
    facts.scaleUp = {"NVSwitch", layout::PathKind::NvLink, true, 450e9};
    return layout::makeCluster(facts);
}

// Temperatures from 40 to 90 °C, rising with the rank.
inline plot::RankColours demoHeat(int ranks) {
    plot::RankColours colours;
    colours.by = plot::RankColour::Value;
    colours.scale.title = "GPU temperature";
    colours.scale.metric = "gpu_temperature";
    colours.scale.siUnit = "°C";
    colours.scale.unit = {"°C", 1.0};
    colours.scale.range = {40.0, 90.0};
    for (int rank = 0; rank < ranks; ++rank)
        colours.values.emplace_back(40.0 + 50.0 * rank / std::max(ranks - 1, 1));
    return colours;
}

inline bool overlap(const plot::Rect& a, const plot::Rect& b) {
    constexpr double kRounding = 1e-6;
    return a.x < b.right() - kRounding && b.x < a.right() - kRounding
        && a.y < b.bottom() - kRounding && b.y < a.bottom() - kRounding;
}

// Rectangle in which a label is painted, about.
inline plot::Rect extentOf(const plot::Label& label, const plot::FigureStyle& style) {
    const double width = style.measure(label.text, label.role, label.bold);
    const double size = style.theme->size(label.role);
    const double left = label.align == plot::Align::Left ? 0.0
        : label.align == plot::Align::Right              ? -width
                                                         : -width / 2.0;
    return {label.anchor.x + left, label.anchor.y - 0.72 * size, width, 0.72 * size};
}

} // namespace trainscope::test
