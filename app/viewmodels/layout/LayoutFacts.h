#pragma once
// Facts for inspector and pointer about a rank and about the exchanges of its groups.
// Plain functions; any thread.

#include "app/viewmodels/workspace/FactListModel.h"
#include "core/analysis/cluster/Placement.h"
#include "core/plot/layout/LayoutFigure.h"

#include <QString>

#include <optional>
#include <vector>

namespace trainscope::app {

// "8–15", "5, 13, 21, 29", "0, 8 … 1016 (128)".
QString ranksText(const std::vector<int>& ranks);

// Place of the rank: node and slot, stage with its layers, coordinates. Empty: no such rank.
std::vector<Fact> placeFacts(const plot::LayoutFigureData& data, int rank);
// Exchanges of each of its groups per step, measured beside computed, with their link.
std::vector<Fact> exchangeFacts(const plot::LayoutFigureData& data, int rank);
// Facts of the whole layout: degrees, origin, links.
std::vector<Fact> layoutFacts(const plot::LayoutFigureData& data);

// Expected effect of a placement: layers of each stage, changes with their ranges.
std::vector<Fact> placementFacts(const analysis::Placement& placement);

struct HoverText {
    QString title;
    QString text; // lines
};
// `only`: this kind of groups; `colours`: what the cell shows.
HoverText rankHover(const plot::LayoutFigureData& data, const plot::RankColours& colours, int rank,
    std::optional<layout::CommunicatorKind> only);

} // namespace trainscope::app
