#pragma once
// The heat of a placement: temperatures follow the power of each GPU and of those in front of it,
// throttling follows temperature (Placement.h). Pure; any thread.

#include "core/analysis/cluster/PlacementModel.h"
#include "core/analysis/statistics/Means.h"

#include <optional>
#include <vector>

namespace trainscope::analysis {

struct Gradient {
    std::optional<double> celsius; // rear − front; absent where there are not both
    double noise = 0.0; // two standard errors of it
};
Gradient gradientOf(const std::vector<GpuPlace>& gpus);

// By GPU, where each does `work` times as much in a second as before.
std::vector<double> temperaturesAfter(const PlacementInput& input, const Gradient& gradient,
    const std::vector<double>& work, double resistance);

// Shares of time lost at these temperatures, by GPU.
std::vector<double> lossesAt(const PlacementInput& input, const std::vector<double>& temperatures);

} // namespace trainscope::analysis
