#pragma once
// Activations that are computed again inside backward passes, where only the kernels' names tell
// forward from backward: they look like forward passes of their own. Pure; any thread.

#include "core/analysis/schedule/Pass.h"

#include <vector>

namespace trainscope::analysis {

// Between two transfers of the pipeline, what lies between the first and the last backward piece is
// one backward pass. A forward piece before it is one of it too where there are as many forward
// passes without these as there are backward ones. Nothing is joined where no transfers were
// traced, annotations tell the passes, or no small forward pieces lie between backward ones.
void foldRecomputation(std::vector<Pass>& passes);

} // namespace trainscope::analysis
