#pragma once
// Reads work on the GPUs: kernels, copies, memory sets, whole CUDA graphs and synchronisation, on
// the streams of their ranks, with the names and arguments that PyTorch's traces have for them.

#include "importers/nsys/Session.h"

#include <cstdint>

namespace trainscope::importers::nsys {

struct DeviceFindings {
    std::int64_t kernels = 0;
    std::int64_t copies = 0;
    std::int64_t sets = 0;
    std::int64_t graphs = 0; // traced whole
    std::int64_t graphKernels = 0; // of them, nodes of a graph

    [[nodiscard]] std::int64_t total() const { return kernels + copies + sets + graphs; }
};

// After the ranges and the launches.
Result<DeviceFindings> readDeviceWork(Session& session);

} // namespace trainscope::importers::nsys
