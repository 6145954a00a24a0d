#pragma once
// The numbers of a stretch of time over all GPUs of the shown runs, by the definitions of
// core/analysis. SI. Blocking; for a worker.

#include "app/engine/EngineLanes.h"
#include "app/viewmodels/lanes/TimelineLoader.h"
#include "core/analysis/telemetry/AboveLimit.h"

namespace trainscope::app {

struct MetricStatistics {
    Metric metric;
    // As in the summary of a run: the mean of the GPUs' time-weighted means, else of the nodes',
    // whose links are summed where they add up, and then have no extremes.
    std::optional<double> mean;
    std::optional<double> min;
    std::optional<double> max;
    std::optional<double> total; // counters: Σ of what they grew by, over all subjects
    std::optional<double> first = {}; // metrics that progress
    std::optional<double> last = {};
    std::map<std::string, double> shares = {}; // masks and states: share of time by name, 0..1
};

struct GpuStatistics {
    Gpu gpu;
    std::optional<double> meanPower;
    std::optional<double> peakPower;
    std::optional<double> peakTemperature;
    std::optional<double> energy;
};

struct RunStatistics {
    std::string name;
    std::string gpuModel; // as recorded, said or, marked so, inferred
    DurationNs duration; // part of the stretch that the run fills
    std::optional<double> energy; // sum over GPUs, J; absent where nothing measured it
    std::vector<MetricStatistics> metrics; // in the order of the registry, others after
    std::vector<GpuStatistics> gpus; // by rank
    // Within how many seconds a log without dates lies where it was placed; empty: none was.
    std::string logWithinS = {};
    bool logIsAmbiguous = false;
    std::optional<double> nodeEnergy = {}; // sum over nodes, J; absent without node_power
    int nodes = 0; // nodes with node_power
    // The fraction of these nodes' energy that is not of their GPUs; absent where one of the GPUs
    // has no power, or for another part of the stretch than its node.
    std::optional<double> notOfGpus = {};
    // The fraction of the duration that the energy is of: mean over the GPUs, 0 for those without.
    double energyCoverage = 0.0;
    // Share of the GPUs with power and a limit; absent without any.
    std::optional<analysis::LimitShare> aboveLimit = {};
    bool isTraced = false; // kernels were recorded, somewhere in the run
    std::string energySource = {}; // "by the energy counter, resolution 0.1 s"
    // Answers for a linked run: number of metrics told, number of all, and the reason that no more
    // come.
    struct Told {
        std::size_t metrics = 0;
        std::size_t of = 0;
        std::optional<Error> error;
    };
    std::optional<Told> told = {};
};

// The derived lanes of the arrangement are metrics too.
Result<std::vector<RunStatistics>> selectionStatistics(const store::Store& store,
    const TimelineCatalogue& catalogue, const std::vector<plot::ShownRun>& runs,
    plot::ViewWindow stretch, const std::function<bool()>& isCancelled,
    EngineLanes* engines = nullptr, const plot::Arrangement& arrangement = {});

} // namespace trainscope::app
