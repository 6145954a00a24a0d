#pragma once
// How long a step takes with a placement: the schedule of the run's pipeline with the layers and
// speeds of its stages, and what groups exchange that a placement moves between nodes. Pure; any
// thread.

#include "core/analysis/cluster/PlacementModel.h"

#include <optional>
#include <vector>

namespace trainscope::analysis {

using GpuMapping = std::vector<int>; // rank → index of the GPU, which is the rank before

class PlacementSteps {
public:
    explicit PlacementSteps(const PlacementInput& input);

    // In forward passes of a layer on a GPU that is not throttled. `speeds`: by stage.
    [[nodiscard]] double of(const GpuMapping& mapping, const std::vector<int>& split,
        const std::vector<double>& speeds) const;
    // The best split of whole layers that fits: such that the slowest stage is as fast as can be,
    // then layer by layer from stage to stage while the step becomes shorter. Absent: none fits.
    [[nodiscard]] std::optional<std::vector<int>> bestSplitFor(
        const GpuMapping& mapping, const std::vector<double>& speeds) const;

    // Seconds that a step takes longer by what is exchanged over slower links than before, as if
    // nothing of it were hidden; 0 at least. Absent: not known.
    [[nodiscard]] std::optional<double> movingCost(const GpuMapping& mapping) const;

private:
    [[nodiscard]] double pipeline(
        const std::vector<int>& split, const std::vector<double>& speeds) const;
    [[nodiscard]] double exchange(const GpuMapping& mapping) const;
    [[nodiscard]] bool canImprove() const;

    const PlacementInput& m_input;
    std::size_t m_stages;
    double m_exchangeBefore = 0.0;
    double m_unitSeconds = 0.0; // 0: not known
};

} // namespace trainscope::analysis
