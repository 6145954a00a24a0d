#pragma once
// Which iterations of each run stand over each other as a curve, and what is said of that.

#include "core/figures/comparison/ComparisonLoad.h"

#include <cstddef>
#include <string>
#include <vector>

namespace trainscope::figures {

// What stands over each other for one run.
struct Fold {
    std::size_t run = 0;
    std::vector<Iteration> iterations;
    std::size_t outOf = 0; // iterations that there are
    double seconds = 0.0; // median length
    double offset = 0.0; // moved to the right
    bool isIteration = true; // else a stretch of time without them
};

struct Folds {
    std::vector<Fold> runs; // those that have the metric's iterations
    ComparisonAlignment alignment = ComparisonAlignment::Folded;
};

// Where no run has such iterations all are shown whole, from their starts; where some have none,
// those are shown from the begin of their windows (folded) or left out (one iteration). Notes say
// so.
Result<Folds> foldsOf(const ComparisonContext& context, std::vector<RunsNote>& notes);

// "mean and 5–95 % band of GPUs and iterations, aligned at their begins (each 8 laid over …"
std::string foldWording(const Folds& folds, bool stretched);

} // namespace trainscope::figures
