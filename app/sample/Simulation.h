#pragma once
// The simulation behind the sample: parameters of two clusters, who computes what and when, and the
// telemetry and traces that follow. Everything is invented, in the range of published figures:
// GPT-3 175B (96 layers, hidden 12288, sequence 2048), global batch 64, micro-batch 2, bf16, TP
// inside a node, PP across.

#include "core/model/Import.h"

namespace trainscope::app::sample {

struct ClusterParameters {
    std::string runName;
    std::string gpuModel;
    int nodes = 0;
    int gpusPerNode = 8;
    double forwardSeconds = 0.0; // time of one micro-batch on one stage
    double optimizerSeconds = 0.0; // from the last pass to the next step
    double busyWatts = 0.0; // one GPU in the middle of a GEMM
    double idleWatts = 0.0;
    double powerLimitWatts = 700.0;
    double maxClockMHz = 1980.0;
    double memoryClockMHz = 0.0;
    double memoryUsedMiB = 0.0;
    double inletCelsius = 26.0;
    double rearPreheatCelsius = 0.0; // exhaust of the front GPUs, at full power
    int hotNode = -1; // this node's inlet is warmer
    std::uint64_t seed = 0;

    [[nodiscard]] int gpus() const { return nodes * gpusPerNode; }
    [[nodiscard]] int stages() const { return nodes; } // one pipeline stage a node
    // Time of a compute kernel against its share of the layer: the warm rear GPUs are slower.
    [[nodiscard]] double pace(int rank) const;
    // Seconds that the node's clock is ahead of the first node's.
    [[nodiscard]] double clockOffset(int node) const;
};

inline constexpr int kMicrobatches = 32;
inline constexpr int kMicroBatch = 2; // samples
inline constexpr int kSequence = 2048;
inline constexpr int kHidden = 12288;
// Activations of a micro-batch at a layer's border, in bf16 values.
inline constexpr int kActivations = kMicroBatch * kSequence * kHidden;
inline constexpr int kLayers = 96;
inline constexpr int kVocabulary = 51200;
inline constexpr double kOptimizerBusy = 0.92; // busy share of optimizerSeconds
inline constexpr double kRunSeconds = 120.0;
inline constexpr double kSampleSeconds = 0.1;
inline constexpr double kHandOverSeconds = 0.0016; // activations to the next stage over InfiniBand
inline constexpr TimeNs kStart{1'767'268'800'000'000'000}; // 2026-01-01 12:00:00 UTC

ClusterParameters h200Cluster();
ClusterParameters h100Cluster();

// Repeatable noise, uniform in [-1, 1): a value depends only on the seed and the position, never on
// the order of calls. SplitMix64, Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators", OOPSLA 2014.
double noise(std::uint64_t seed, std::uint64_t a, std::uint64_t b = 0);

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

    // Fraction of [begin, end) in which the stage computes, the optimizer included; and without it,
    // which neither reduces nor hands over activations.
    [[nodiscard]] double busyFraction(int stage, double begin, double end) const;
    [[nodiscard]] double passFraction(int stage, double begin, double end) const;
};

// The 1F1B schedule (Narayanan et al., SC 2021) of one iteration, repeated over the run.
PipelineRun simulatePipeline(const ClusterParameters& cluster);

// Every GPU's sensors at 10 Hz, InfiniBand counters per node, a few failed reads and one hole in
// the recording, as real logs have them.
Status writeTelemetry(const ClusterParameters& cluster, const PipelineRun& pipeline, RunId run,
    Sink& sink, ImportReport& report);

// Kernels of the front and the rear GPU of each pipeline stage over a whole iteration, from the
// pipeline's fill to its drain and the optimizer; their launches, collectives with their arguments.
// Each node has a clock of its own.
Status writeTrace(const ClusterParameters& cluster, const PipelineRun& pipeline, RunId run,
    Sink& sink, ImportReport& report);

} // namespace trainscope::app::sample
