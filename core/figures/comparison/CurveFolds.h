#pragma once
// Folds: the iterations of each run that are laid over each other as a curve, and the words for
// them.

#include "core/figures/comparison/ComparisonLoad.h"

#include <cstddef>
#include <string>
#include <vector>

namespace trainscope::figures {

// Iterations of one run that are laid over each other.
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
    plot::ComparisonAlignment alignment = plot::ComparisonAlignment::Folded;
};

// All runs are shown whole, from their starts, where none has such iterations. Where some have
// none, those are shown from the begin of their windows (folded) or left out (one iteration). Notes
// say so.
Result<Folds> foldsOf(const ComparisonContext& context, std::vector<plot::RunsNote>& notes);

// "mean and 5–95 % band of GPUs and iterations, aligned at the start of each iteration (each 8 …"
std::string foldWording(const Folds& folds, bool stretched);

} // namespace trainscope::figures
