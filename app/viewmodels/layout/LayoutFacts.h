#pragma once
// What the inspector and the pointer tell of a rank, of what its groups exchange and of the lines
// between nodes. Plain functions; any thread.

#include "app/viewmodels/workspace/FactListModel.h"
#include "core/analysis/cluster/Placement.h"
#include "core/plot/layout/LayoutFigure.h"

#include <QString>

#include <optional>
#include <vector>

namespace trainscope::app {

// "8–15", "5, 13, 21, 29", "0, 8 … 1016 (128)".
QString ranksText(const std::vector<int>& ranks);

// Where the rank is: node and slot, stage with its layers, coordinates. Empty: no such rank.
std::vector<Fact> placeFacts(const plot::LayoutFigureData& data, int rank);
// What each of its groups exchanges per step, measured beside computed, and over which link.
std::vector<Fact> exchangeFacts(const plot::LayoutFigureData& data, int rank);
// Of the layout as a whole: degrees, where it is from, which links there are.
std::vector<Fact> layoutFacts(const plot::LayoutFigureData& data);

// What is expected of a placement: layers of each stage, changes with their ranges.
std::vector<Fact> placementFacts(const analysis::Placement& placement);

struct HoverText {
    QString title;
    QString text; // lines
};
// `only`: this kind of groups; `colours`: what the cell shows.
HoverText rankHover(const plot::LayoutFigureData& data, const plot::RankColours& colours, int rank,
    std::optional<layout::CommunicatorKind> only);
HoverText edgeHover(const plot::LayoutFigureData& data, std::size_t edge);

} // namespace trainscope::app
