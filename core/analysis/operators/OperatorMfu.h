#pragma once
// Share of the GPUs' peak that the operators of a window used: the FLOP of all that ran, by shapes.
// The model's formula stands beside it (energy/Efficiency.h).

#include "core/analysis/RunStudy.h"
#include "core/analysis/operators/CallTree.h"
#include "core/catalogue/GpuModel.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace trainscope::analysis {

struct OperatorMfu {
    double flop = 0.0; // on matrix units, without what is done again for the backward pass
    double recomputedFlop = 0.0;
    double gpuSeconds = 0.0; // length of the window × GPUs
    double knownShare = 0.0; // share of the work's time in operators with known FLOP
    std::optional<double> mfu; // relative to the peak of 16 bits; absent: the GPU is not known
    std::optional<double> hfu; // with what is done again
};
// `gpuSeconds`: the window's length times the GPUs that the tree is of. Absent where no work is
// known. Pure; any thread.
std::optional<OperatorMfu> operatorMfu(
    const CallTree& tree, double gpuSeconds, const catalogue::GpuModel* gpu);

struct IterationMfu {
    std::int64_t iteration = 0; // as the run numbers it
    DurationNs duration;
    OperatorMfu mfu;
};
// MFU of the iterations of a rank that lie whole in the window and in its trace, in order of time.
// Blocking; for a worker. Cancelled by progress.
Result<std::vector<IterationMfu>> iterationMfus(
    const RunStudy& study, int rank, TimeRange window, const catalogue::GpuModel* gpu);

} // namespace trainscope::analysis
