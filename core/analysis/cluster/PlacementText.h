#pragma once
// A placement in words. Pure; any thread.

#include "core/analysis/cluster/Placement.h"

namespace trainscope::analysis {

struct PlacementVerdict {
    double worstLoss = 0.0; // of the slowest GPU
    bool fits = true; // some split fits into memory
    std::optional<Estimate> tooSmall; // change of the step that is not worth it
    bool spansHalves = false; // tensor groups have front and rear GPUs
    std::optional<double> movingCost; // seconds of a step; absent: not known, or nothing moves
};

// Fills headline, reason, assumptions and notes.
void explain(Placement& placement, const PlacementVerdict& verdict);

std::string layerList(const std::vector<int>& layers, std::string_view separator);

} // namespace trainscope::analysis
