#pragma once
// The energy of a GPU between moments, as it was measured: by its energy counter where there is
// one, and between two steps of the counter along its power; else, and before the first step and
// behind the last, by the integral of the power (SampleWalk.h). The energies of windows that follow
// each other sum to that of the whole, and over the counter's steps to what it counted.
//
// A counter that is read more often than it changes has its steps where its value changes. One that
// differs by more than a tenth from the power of the same time does not count.

#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/statistics/SeriesStatistics.h"
#include "core/analysis/statistics/Summary.h"

namespace trainscope::analysis {

// Series that measure the energy of one GPU.
struct EnergySeries {
    std::optional<Series> counter; // gpu_energy
    std::optional<Series> power; // gpu_power
    [[nodiscard]] bool isNothing() const { return !counter && !power; }
};
EnergySeries energySeriesOf(const GpuSeries& gpu);

// Energy of each window; absent where nothing covers any of it.
Result<std::vector<std::optional<Energy>>> measuredEnergies(const store::Store& store,
    const EnergySeries& series, const std::vector<TimeRange>& windows,
    const KeepGoing& keepGoing = {});

// The energies of GPUs together: coverage is their mean over so many, the resolution the coarsest.
std::optional<Energy> combinedEnergy(const std::vector<Energy>& parts, std::size_t subjects);

// "by the energy counter, every 0.1 s", "by the power, every 0.01 s".
std::string sourceText(const Energy& energy);

// The energy of nodes and switches beside that of their GPUs.

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
