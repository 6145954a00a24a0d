#pragma once
// What share of the GPUs' peak the operators of a window used: the FLOP of all that ran, by shapes,
// beside which stands that of the model's formula (energy/Efficiency.h). Pure; any thread.

#include "core/analysis/operators/CallTree.h"
#include "core/catalogue/GpuModel.h"
#include "core/work/TracedWork.h"

#include <optional>
#include <vector>

namespace trainscope::analysis {

// For each node the work of one of its calls, where it counts: of operators that launch work
// themselves, else of the nearest caller whose work is known and below whom no other counts. Sums
// over calls count nothing twice.
std::vector<std::optional<work::TracedWork>> countedWork(const CallTree& tree);

struct OperatorMfu {
    double flop = 0.0; // on matrix units, without what is done again for the backward pass
    double recomputedFlop = 0.0;
    double gpuSeconds = 0.0; // of the window, over all ranks
    double knownShare = 0.0; // of the work's time, that is of operators whose FLOP are known
    std::optional<double> mfu; // of the peak of 16 bits; absent where the GPU is not known
    std::optional<double> hfu; // with what is done again
};
// `gpuSeconds`: the window's length times the ranks that the tree is of. Absent where no work is
// known.
std::optional<OperatorMfu> operatorMfu(
    const CallTree& tree, double gpuSeconds, const catalogue::GpuModel* gpu);

} // namespace trainscope::analysis
