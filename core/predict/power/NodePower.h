#pragma once
// NodePower: what a whole node draws at the wall, from the power of its GPUs. Pure; any thread.

#include <cstddef>

namespace trainscope::predict {

// watts = gpus · host + perGpuWatt · Σ GPU power. From 8 nodes of 8 H100 (Dell XE9680, MLPerf
// Training 4.1, Llama 2 70B LoRA, AC): the medians of rest and training, 3.43 and 8.18 kW, where
// the GPUs, which were not recorded, are taken to draw the 117 and 687 W of another run.
struct NodeOverhead {
    double hostW = 308.0; // for each GPU: processors, memory, network cards, fans
    double perGpuWatt = 1.04; // conversion; the file says an efficiency of 0.96
};

double nodePower(double gpuWatts, std::size_t gpus, const NodeOverhead& overhead = {});

} // namespace trainscope::predict
