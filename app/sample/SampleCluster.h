#pragma once
// Parameters of the two simulated clusters. Everything is invented, in the range of published
// figures: GPT-3 175B (96 layers, hidden 12288, sequence 2048), global batch 64, micro-batch 2,
// bf16, TP inside a node, PP across.

#include "core/model/Run.h"

#include <string>

namespace trainscope::app::sample {

struct ClusterParameters {
    std::string runName;
    std::string gpuModel;
    int nodes = 0;
    int gpusPerNode = 8;
    double forwardSeconds = 0.0; // of one micro-batch on one stage
    double optimizerSeconds = 0.0;
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
    // Of that node's clock ahead of the first node's, in seconds.
    [[nodiscard]] double clockOffset(int node) const;
};

inline constexpr int kMicrobatches = 32;
inline constexpr int kMicroBatch = 2; // samples
inline constexpr int kSequence = 2048;
inline constexpr int kHidden = 12288;
// Of a micro-batch at a layer's border, in bf16 values.
inline constexpr int kActivations = kMicroBatch * kSequence * kHidden;
inline constexpr int kLayers = 96;
inline constexpr double kRunSeconds = 120.0;
inline constexpr double kSampleSeconds = 0.1;
inline constexpr double kHandOverSeconds = 0.0016; // activations to the next stage over InfiniBand
inline constexpr TimeNs kStart{1'767'268'800'000'000'000}; // 2026-01-01 12:00:00 UTC

ClusterParameters h200Cluster();
ClusterParameters h100Cluster();

} // namespace trainscope::app::sample
