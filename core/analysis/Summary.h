#pragma once
// The numbers of `trainscope-cli summary`: design section 5 per GPU, per node and per run. All SI.

#include "core/model/Run.h"
#include "core/model/Series.h"
#include "core/store/Store.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace trainscope::analysis {

// A quantity that does not apply to the metric's kind, or that the data cannot give, is absent.
struct SubjectStatistics {
    std::optional<double> mean; // time-weighted
    std::optional<double> min;
    std::optional<double> max;
    std::optional<double> p50; // time-weighted quantiles
    std::optional<double> p99;
    std::optional<double> total; // counters: Σ of differences, wraps and resets handled
    std::int64_t samples = 0; // all rows
    std::int64_t missing = 0;
    std::int64_t wraps = 0;
    std::int64_t resets = 0;
};

struct Energy {
    double joules = 0.0; // trapezoid over the non-missing samples of gpu_power
    double coverage = 0.0; // fraction of the run that has data
};

struct GpuSummary {
    Gpu gpu;
    std::optional<Energy> energy;
    std::map<std::string, SubjectStatistics> metrics;
};
struct NodeSummary {
    int node = 0;
    std::map<std::string, SubjectStatistics> metrics; // node and link metrics; GPU metrics as mean of means, max of maxima, sum of totals
};
struct MetricSummary {
    Metric metric;
    SubjectStatistics all; // over all GPUs (else nodes) of the run
    std::optional<double> intraNodeStd; // mean over nodes of the std. dev. of its GPUs' means
    std::optional<double> interNodeStd; // std. dev. of the node means
};
struct RunSummary {
    Run run;
    std::optional<Energy> energy; // summed over GPUs; coverage is their mean
    std::map<std::string, MetricSummary> metrics;
    std::vector<GpuSummary> gpus;
    std::vector<NodeSummary> nodes;
};

Result<RunSummary> summarise(const store::Store& store, const Run& run, const Progress& progress = {});

} // namespace trainscope::analysis
