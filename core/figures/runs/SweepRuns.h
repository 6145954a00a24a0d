#pragma once
// The runs of a sweep, and their places on its axis.

#include "core/figures/runs/FigureRuns.h"

#include <string>
#include <vector>

namespace trainscope::figures {

struct SweepPlace {
    FigureSubject subject;
    std::string label; // shown on the axis
    std::string group; // places of equal group stand together
};

// In order of the axis. Unless the query names its runs, one run for each place:
//   parallelism   layouts of each model; where a model ran with several optimisations, those runs
//                 that cover most of its layouts, recomputation ("act") before base in a tie, and
//                 the smallest micro-batch of these
//   optimisation  base, cc, act, cc+act of each layout that ran with two or more, the smallest
//                 micro-batch
//   micro-batch   of each layout that ran with two or more
// `notes` gets what was left out.
std::vector<SweepPlace> sweepPlaces(const std::vector<FigureSubject>& subjects,
    const plot::FigureQuery& query, std::vector<std::string>& notes);

} // namespace trainscope::figures
