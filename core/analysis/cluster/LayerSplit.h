#pragma once
// How many layers each stage of a pipeline gets when stages differ in speed. Pure; any thread.

#include <optional>
#include <vector>

namespace trainscope::analysis {

// By stage, all of one size.
struct SplitRequest {
    int layers = 0;
    std::vector<double> speeds; // > 0, 1 is a GPU that is not throttled
    std::vector<double> extra; // what a stage does besides, in layers (embedding, loss)
    std::vector<int> most; // layers that fit into its memory
};

// Whole layers that sum to `layers`, at least one a stage and no more than fit, such that the
// slowest stage, max (layers + extra) / speed, is as fast as can be; of equal splits the one that
// gives the faster stages more. Layer by layer to the stage that is done first with it, which is
// optimal since stages do not depend on each other. Absent where they do not fit.
std::optional<std::vector<int>> bestSplit(const SplitRequest& request);

// max (layers + extra) / speed.
double slowestStage(const SplitRequest& request, const std::vector<int>& split);

} // namespace trainscope::analysis
