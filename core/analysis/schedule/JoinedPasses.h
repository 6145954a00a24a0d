#pragma once
// Passes put together from the pieces that a cutter finds. Pure; any thread.

#include "core/analysis/schedule/Pass.h"

#include <vector>

namespace trainscope::analysis {

// Passes of a kind have equally many kernels, as many as one has where forward and backward take
// turns. By that, pieces of a pass that a transfer beside it has cut are joined, and passes that
// touch without a transfer between them are cut. Where there are then more of a kind than
// `expected` (0: not known), neighbours without a transfer between them are joined (annotations of
// layers), and the smallest are left out.
std::vector<Pass> joinedPasses(std::vector<Pass> passes, std::int64_t expected);

// Neighbours that are numbered as the same pass are one (annotations of its parts). What lies
// between numbered passes is none, where there are any.
std::vector<Pass> numberedPasses(const std::vector<Pass>& passes);

} // namespace trainscope::analysis
