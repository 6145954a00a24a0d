#include "app/sample/SampleCluster.h"

#include "app/sample/Noise.h"

namespace trainscope::app::sample {

// Forward time of a micro-batch on a stage: 2 · 175e9 parameters · 2 samples of 2048 tokens,
// divided by the GPUs of the run, at 42 or 43 % of the dense bf16 peak (989 TFLOP/s); the backward
// pass takes twice as long.
namespace {
constexpr double forwardSeconds(int gpus, double utilization) {
    return 2.0 * 175e9 * kMicroBatch * kSequence
        / (static_cast<double>(gpus) * 989e12 * utilization);
}
} // namespace

double ClusterParameters::pace(int rank) const {
    const bool isRear = rank % gpusPerNode >= gpusPerNode / 2;
    return (isRear ? 0.965 : 0.935) + 0.01 * noise(seed, 41, static_cast<std::uint64_t>(rank));
}

double ClusterParameters::clockOffset(int node) const {
    return node == 0 ? 0.0 : 400e-6 * noise(seed, 42, static_cast<std::uint64_t>(node));
}

ClusterParameters h200Cluster() {
    ClusterParameters cluster;
    cluster.runName = "gpt3-175b 32xH200 tp8-pp4";
    cluster.gpuModel = "NVIDIA H200";
    cluster.nodes = 4;
    cluster.forwardSeconds = forwardSeconds(32, 0.43);
    cluster.optimizerSeconds = 0.42;
    cluster.busyWatts = 688.0;
    cluster.idleWatts = 118.0;
    cluster.memoryClockMHz = 3201.0;
    cluster.memoryUsedMiB = 118'400.0;
    cluster.inletCelsius = 28.0;
    cluster.rearPreheatCelsius = 23.5;
    cluster.hotNode = 2;
    cluster.seed = 0x5175B200;
    return cluster;
}

ClusterParameters h100Cluster() {
    ClusterParameters cluster;
    cluster.runName = "gpt3-175b 64xH100 tp8-pp8";
    cluster.gpuModel = "NVIDIA H100 80GB HBM3";
    cluster.nodes = 8;
    cluster.forwardSeconds = forwardSeconds(64, 0.415);
    cluster.optimizerSeconds = 0.30;
    cluster.busyWatts = 672.0;
    cluster.idleWatts = 104.0;
    cluster.memoryClockMHz = 2619.0;
    cluster.memoryUsedMiB = 70'900.0;
    cluster.inletCelsius = 30.5;
    cluster.rearPreheatCelsius = 25.5;
    cluster.hotNode = 5;
    cluster.seed = 0x5175B100;
    return cluster;
}

} // namespace trainscope::app::sample
