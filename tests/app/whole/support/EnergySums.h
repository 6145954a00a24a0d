#pragma once
// Sums of the energies of parts of traced work beside the whole, in each place and each part of a
// run that can be asked for.

#include "app/whole/support/Places.h"

#include <string>
#include <vector>

namespace trainscope::test {

// Phases, categories, captures, stages, GPUs, kernels and operators are summed, of the run, of
// its steady part, of each capture and of each half of the traced time; a sentence for each sum
// that lies outside the interval of the whole, or, where parts are not known, above it.
std::vector<std::string> wrongEnergySums(const AskedRun& asked);

} // namespace trainscope::test
