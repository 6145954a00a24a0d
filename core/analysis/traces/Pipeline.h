#pragma once
// Pipeline stages and bubbles as traced.

#include "core/analysis/traces/DeviceActivity.h"
#include "core/analysis/traces/TraceWindow.h"

namespace trainscope::analysis {

// Pipeline stage of each rank, and the layout's facts about the schedule.
struct StageMap {
    int stages = 0;
    std::map<int, int> stageOf; // by rank
    std::optional<int> microbatches; // per iteration and pipeline
    int virtualStages = 1;
    std::string origin; // source of it: "launch configuration config.yaml"
    RankClocksPtr clocks; // absent: the ranks' clocks agree (TraceWindow.h)
};

// By the run's layout (core/analysis/layout/RunLayout.h); absent where nothing tells it, it does
// not fit the ranks, or it has a single stage.
Result<std::optional<StageMap>> stagesOf(const RunStudy& study);

// Pipeline bubbles as traced: time in which a rank computes nothing while it waits for its
// neighbour, that is nothing runs on it or nothing but SendRecv. Copies do not count as work, and
// waiting for the host looks the same (see LaunchStatistics::hostBound).
//
// The fraction is of the iterations' time; of a trace without iterations, of the time from the
// first kernel of any rank to the last one of any, on one clock. Against it the ideal of 1F1B and
// GPipe, (p − 1)/(m + p − 1) for p stages and m micro-batches of equal length (Narayanan et al., SC
// '21, section 2.2, there as a fraction of the time without bubbles), and for v interleaved virtual
// stages (p − 1)/(v·m + p − 1).

// Means over the ranks of a stage that were traced, each over all of its windows.
struct StageTimes {
    int stage = 0;
    std::vector<int> ranks; // traced ones
    double windowNs = 0.0;
    double computeNs = 0.0; // hidden communication included: |C|
    double exposedNs = 0.0; // exposed communication, SendRecv included
    double copyNs = 0.0; // nothing but copies and memory sets
    double idleNs = 0.0;
    double bubbleNs = 0.0;

    [[nodiscard]] double bubbleFraction() const {
        return windowNs > 0.0 ? bubbleNs / windowNs : 0.0;
    }
};

struct Pipeline {
    int stageCount = 0;
    std::string origin;
    bool isOfIterations = false; // else of the trace
    std::vector<StageTimes> stages; // with traced ranks
    double bubbleFraction = 0.0; // share of all traced ranks' time
    std::optional<int> microbatches; // per iteration and replica
    int virtualStages = 1;
    std::optional<double> idealBubbleFraction;
};

std::optional<double> idealBubbleFraction(int stages, int microbatches, int virtualStages);

// Absent without traced ranks of the pipeline. Devices without kernels do not count.
std::optional<Pipeline> pipelineOf(const StageMap& map, const std::vector<DeviceActivity>& all);

} // namespace trainscope::analysis
