#pragma once
// Reads work on the GPUs: kernels, copies, memory sets, whole CUDA graphs and synchronisation, on
// the streams of their ranks, with the names and arguments that PyTorch's traces have for them.

#include "importers/nsys/Nvtx.h"

#include <cstdint>
#include <set>

namespace trainscope::importers::nsys {

struct DeviceFindings {
    std::int64_t kernels = 0;
    std::int64_t copies = 0;
    std::int64_t sets = 0;
    std::int64_t graphs = 0; // traced whole
    std::int64_t graphKernels = 0; // of them, nodes of a graph
    std::int64_t collectives = 0; // kernels of NCCL
    std::int64_t describedCollectives = 0; // of them, with a call that is known

    [[nodiscard]] std::int64_t total() const { return kernels + copies + sets + graphs; }
};

// After the ranges and the launches. Adds the projections of ranges to the outputs.
Result<DeviceFindings> readDeviceWork(Session& session, NvtxFindings& nvtx);

} // namespace trainscope::importers::nsys
