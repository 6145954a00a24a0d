#pragma once
// The telemetry of each iteration of a run.

#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/telemetry/Throttling.h"

namespace trainscope::analysis {

// The telemetry of each iteration of a run, from one pass over its power, temperature and clock.
struct IterationFigures {
    Iteration iteration;
    std::optional<double> energyJ; // summed over the GPUs
    double energyCoverage = 0.0; // share of the iteration with power, mean over the GPUs with power
    std::optional<double> meanPowerW; // all GPUs together, time-weighted
    std::optional<double> peakPowerW; // all GPUs together, as powerPeaksOf() finds it
    std::optional<double> meanTemperatureC; // mean of the GPUs' means
    std::optional<double> maxTemperatureC;
    std::optional<double> meanClockHz;
    std::optional<double> throttleFraction; // throttled GPU-seconds / those told of
    std::map<int, double> gpuEnergyJ; // by rank, where asked for
};

// gpus: by rank. peaksW: of each iteration; empty where there are none. throttling: nullptr
// where it cannot be told. Memory: a few numbers per iteration, and per GPU where asked for.
Result<std::vector<IterationFigures>> iterationFigures(const store::Store& store,
    const std::vector<Iteration>& iterations, const std::map<int, GpuSeries>& gpus,
    std::span<const std::optional<double>> peaksW, const Throttling* throttling, bool withGpus,
    const Progress& progress = {});

// GPU-seconds of each window that lie in stretches of single GPUs. The windows are in order of time
// and apart.
std::vector<double> gpuSecondsIn(
    std::span<const TimeRange> windows, std::span<const TimeRange> stretches);

} // namespace trainscope::analysis
