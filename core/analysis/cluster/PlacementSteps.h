#pragma once
// Duration of a step with a placement, and the layers that each stage of a pipeline gets.

#include "core/analysis/cluster/PlacementModel.h"

#include <optional>
#include <vector>

namespace trainscope::analysis {

// Layers of each stage of a pipeline whose stages differ in speed. Pure; any thread.

// By stage, all of one size.
struct SplitRequest {
    int layers = 0;
    std::vector<double> speeds; // > 0, 1 is a GPU that is not throttled
    std::vector<double> extra; // other work of a stage, in layers (embedding, loss)
    std::vector<int> most; // layers that fit into its memory
};

// Whole layers that sum to `layers`, at least one a stage and no more than fit, such that the
// slowest stage, max (layers + extra) / speed, is as fast as can be; of equal splits the one that
// gives the faster stages more. Layer by layer to the stage that is done first with it, which is
// optimal since stages do not depend on each other. Absent where they do not fit.
std::optional<std::vector<int>> bestSplit(const SplitRequest& request);

// max (layers + extra) / speed.
double slowestStage(const SplitRequest& request, const std::vector<int>& split);

// Duration of a step with a placement: the schedule of the run's pipeline with the layers and
// speeds of its stages, and the exchanges of groups that a placement moves between nodes. Pure; any
// thread.

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
