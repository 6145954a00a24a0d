#pragma once
// Who computes what and when: the 1F1B pipeline schedule (Narayanan et al., SC 2021) played over
// all iterations of a simulated run, from dependencies alone.

#include "app/sample/SampleCluster.h"

#include <vector>

namespace trainscope::app::sample {

// One micro-batch's pass over one stage; seconds since the start of the run.
struct StageWork {
    enum class Kind { Forward, Backward, Optimizer } kind = Kind::Forward;
    int microbatch = 0;
    double begin = 0.0;
    double end = 0.0;
};

struct PipelineRun {
    struct IterationTimes {
        double begin = 0.0;
        double end = 0.0;
    };
    std::vector<IterationTimes> iterations;
    std::vector<std::vector<StageWork>> stages; // per stage, in order of time

    // Fraction of [begin, end) in which the stage computes.
    [[nodiscard]] double busyFraction(int stage, double begin, double end) const;
};

PipelineRun simulatePipeline(const ClusterParameters& cluster);

} // namespace trainscope::app::sample
