#pragma once
// Which recorded iterations count for a rank: those that it marked itself, else those of the whole
// run, else those of the lowest rank that marked some (ranks step together). In order of time.

#include "core/model/Run.h"

#include <span>
#include <vector>

namespace trainscope::analysis {

std::vector<Iteration> iterationsOfRank(std::span<const Iteration> iterations, int rank);

} // namespace trainscope::analysis
