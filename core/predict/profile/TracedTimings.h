#pragma once
// Timings from the traces of measured runs: what their operators and collectives took, as samples
// beside published ones.
//
// Operators by shape (PyTorch's record_shapes), each a sample: the GPU's time of one call in the
// mean, of its own kernels where they overlap once. Tensors of 16 bits, as the samples of a profile
// are. A forward and a backward operator of one shape are one sample. Collectives as they were
// matched across ranks, each a sample: what the transfer took from the last part's start.
// With clock and power of the GPUs meanwhile, where recorded.

#include "core/analysis/operators/CallTree.h"
#include "core/predict/profile/Timings.h"

namespace trainscope::predict {

// The operator of a cost model that a traced one is, with its shape. Absent: none of its kinds, no
// shapes, or tensors that are not of 16 bits.
struct TracedOperator {
    Operator work;
    bool isBackward = false;
};
std::optional<TracedOperator> tracedOperator(std::string_view name, std::string_view detail);

// Adds the operators that a tree has shapes of. `gpu`, `source`: names of the device and of the
// run.
void addTracedOperators(const analysis::CallTree& tree, std::string_view gpu,
    std::string_view source, Timings& timings);

// Adds the traced ranks of a run, its collectives as those of the fabric of that name. Blocking;
// cancelled by progress.
Status addTracedTimings(
    const analysis::RunStudy& study, const std::string& fabric, Timings& timings);

} // namespace trainscope::predict
