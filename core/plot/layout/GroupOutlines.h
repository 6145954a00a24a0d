#pragma once
// The groups of a rank, marked on a diagram of ranks: each kind has a colour and a shape of its
// own, so that it shows without colours too. A scene of its own, painted over the diagram: pointing
// at ranks repaints no cell. Pure; any thread.

#include "core/plot/layout/PhysicalDiagram.h"
#include "core/plot/layout/RankDiagram.h"

namespace trainscope::plot {

enum class GroupMark {
    Frame, // all around
    Dashes, // all around, dashed
    Corners,
    Sides, // left and right
    Caps, // above and below
};

struct LitGroup {
    layout::CommunicatorKind kind = layout::CommunicatorKind::Tensor;
    std::vector<int> ranks;
};

// By the key of a CommunicatorKind, or "embedding": "tp", "cp", "ep", "dp", "dp_cp", "pp", …
Color groupColor(std::string_view key);
GroupMark groupMark(std::string_view key);
std::string groupTitle(std::string_view key); // "tensor", "pipeline", "data"

// Groups of a rank that have more than one member, of the usual dimensions (tp, cp, ep, dp, pp), or
// of one kind.
std::vector<LitGroup> litGroups(
    const layout::Layout& layout, int rank, std::optional<layout::CommunicatorKind> only);

// Marks for these groups, where ranks are in several the later inside the earlier, and a strong
// frame around `rank`, which is in all of them.
std::vector<SceneItem> groupOutlines(const RankDiagram& diagram,
    const std::vector<LitGroup>& groups, std::optional<int> rank, const Theme& theme);
// One mark, as in a legend.
void addGroupMark(
    std::vector<SceneItem>& items, const Rect& rect, std::string_view key, double width);

// Legend of a diagram, one line below or above it: the colours of the cells and the marks of
// groups.

struct DiagramLegend {
    const RankColours* colours = nullptr;
    const layout::Layout* layout = nullptr; // nullptr: not known
    std::vector<LitGroup> groups; // those that are marked
    std::optional<int> rank; // the rank with marked groups
    std::span<const PhysicalEdge> edges; // lines between nodes
};

double legendHeight(const Canvas& canvas, const DiagramLegend& legend, double width);
void drawLegend(const Canvas& canvas, const DiagramLegend& legend, const Rect& area);

} // namespace trainscope::plot
