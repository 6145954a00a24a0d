#pragma once
// The energy of nodes and switches beside that of their GPUs.

#include "core/analysis/statistics/Summary.h"

namespace trainscope::analysis {

// Node and GPUs are compared where their coverages differ by no more than this.
inline constexpr double kComparedCoverage = 0.02;

// Fills gpuJoules and restJoules of the nodes that have energy, and the sums of the run. GPUs are
// those of the summary.
void addNodeEnergy(RunSummary& summary, const std::map<std::string, Energy>& switches);

// Packages of two dies, each of which is a GPU (AMD Instinct MI250): one die tells the power of
// both, the other none, or the same again. Their power and energy count once, and nothing is
// missing where the second die has none.

// Ranks of the GPUs whose power the one before them on their node tells; empty where there are no
// such packages. On all nodes the GPUs come in pairs of which the first alone has energy: of a
// model with two dies, or of at least two packages where no model is known. With two dies by the
// model, pairs that all tell the same energy are packages as well.
std::set<int> secondDies(const std::vector<GpuSummary>& gpus);

// The energies of GPUs together, without those of second dies; coverage is their mean over the
// others, 0 for those without power.
std::optional<Energy> energyOfGpus(
    const std::vector<GpuSummary>& gpus, const std::set<int>& secondDies);

} // namespace trainscope::analysis
