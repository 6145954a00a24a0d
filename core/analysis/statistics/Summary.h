#pragma once
// The numbers of `trainscope-cli summary` per GPU, per node and per run. All SI.
//
// If two sources of one run hold the same metric of the same GPU, the series with more values is
// taken.

#include "core/analysis/RunStudy.h"

#include <set>

namespace trainscope::analysis {

// A quantity that does not apply to the metric's kind, or that the data cannot give, is absent.
struct SubjectStatistics {
    std::optional<double> mean; // time-weighted
    std::optional<double> min;
    std::optional<double> max;
    std::optional<double> p50; // time-weighted quantiles
    std::optional<double> p99;
    std::optional<double> total; // counters: Σ of differences, wraps and resets handled
    std::optional<double> first; // metrics that progress
    std::optional<double> last;
    // Masks and states: the fraction of the time with values under each name (namesOfValue());
    // those of a mask may hold together. Side by side their mean.
    std::map<std::string, double> shares;
    std::int64_t samples = 0; // all rows
    std::int64_t missing = 0;
    std::int64_t wraps = 0;
    std::int64_t resets = 0;
};

// One statistic of a metric; absent where the metric is.
std::optional<double> statisticOf(const std::map<std::string, SubjectStatistics>& metrics,
    const std::string& metric, std::optional<double> SubjectStatistics::*field);

enum class EnergySource { Power, Counter };
struct Energy {
    double joules = 0.0; // a GPU's as MeasuredEnergy.h says, else the trapezoid over a power
    double coverage = 0.0; // fraction of the run that has data
    EnergySource source = EnergySource::Power;
    double resolutionS = 0.0; // between two readings; 0: not known
};

struct GpuSummary {
    Gpu gpu;
    std::optional<Energy> energy;
    std::map<std::string, SubjectStatistics> metrics;
};

std::optional<double> meanOf(const GpuSummary& gpu, const std::string& metric);
struct NodeSummary {
    int node = 0;
    // Metrics of the node and of its links and sensors (what adds up, as bytes and watts, is
    // summed, of the rest mean of means); GPU metrics as mean of means, minimum of minima, maximum
    // of maxima and sum of totals.
    std::map<std::string, SubjectStatistics> metrics;
    std::optional<Energy> energy = {}; // from node_power
    // Energy of its GPUs, and the rest of the node's: processors, memory, fans and losses. Known
    // where every GPU has power for as much of the run as the node (MeasuredEnergy.h).
    std::optional<double> gpuJoules = {};
    std::optional<double> restJoules = {};
};
struct MetricSummary {
    Metric metric;
    // Over all GPUs (else nodes) of the run: mean of means, quantiles of all samples together (none
    // where nodes sum several links), sum of totals.
    SubjectStatistics all;
    std::optional<double> intraNodeStd; // mean over nodes of the std. dev. of its GPUs' means
    std::optional<double> interNodeStd; // std. dev. of the node means
};
struct RunSummary {
    Run run;
    DurationNs duration; // first sample or span to the last sample or the end of the last span; or
                         // of the window
    std::optional<Energy> energy; // summed over GPUs; coverage is their mean, 0 for those without
                                  // power, and second dies count in neither
    std::set<int> secondDies; // ranks: the GPU before tells the power of both (MeasuredEnergy.h)
    std::optional<Energy> nodeEnergy; // summed over the nodes that have node_power;
                                      // coverage is the mean over all nodes, 0 for those without
    std::optional<Energy> switchEnergy; // summed over switches; coverage is their mean
    std::optional<double>
        restJoules; // summed over nodes; absent where one that has energy has none
    std::map<std::string, MetricSummary> metrics;
    std::vector<GpuSummary> gpus;
    std::vector<NodeSummary> nodes;
    std::vector<std::string> warnings; // counters that were reset, ambiguous series
};

// From the first sample or span to the last sample or the end of the last span; where some have
// dates, of those alone.
DurationNs runDuration(const std::vector<Series>& series, const std::vector<Track>& tracks);

// Reads every series of the run once; a power series with a gap twice. The series are read on the
// pool of workers; the same bits for any number of threads. Cancelled by progress.
Result<RunSummary> summarise(const RunStudy& study);

// The same of a part of the run. A sample before the window counts for what it holds inside it in
// all but the number; energy and counters are taken along the line between the
// samples on both sides of its ends. The duration is the window's.
struct SummaryScope {
    TimeRange window = kAllTime;
    std::vector<std::string> metrics; // empty: all
};
Result<RunSummary> summarise(const RunStudy& study, const SummaryScope& scope);
Result<RunSummary> summarise(const RunStudy& study, TimeRange window);

} // namespace trainscope::analysis
