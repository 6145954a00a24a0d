#pragma once
// Tables of the memory that PyTorch's allocator held (core/analysis/machine/RunMemory.h), for
// window: devices, memory alive at the peak, allocations of iterations. With several devices
// each row names its own. Pure; any thread.

#include "core/analysis/machine/RunMemory.h"
#include "core/text/Table.h"

namespace trainscope::report {

struct RunMemory {
    std::string run;
    TimeNs start; // start of the run
    std::vector<analysis::DeviceMemory> devices;
};

// The most allocated, with what was reserved then and the predicted need; the sentences of requests
// that could not be served below.
text::Table memoryDevicesTable(std::span<const RunMemory> runs);
// At the most allocated: bytes by use, their share, beside the predicted need of that use.
text::Table memoryUsesTable(std::span<const RunMemory> runs);
// The same allocations by size and the calls that made them, most bytes first.
text::Table memoryLiveTable(std::span<const RunMemory> runs);
// A row of each iteration: allocations, bytes allocated, most at a time.
text::Table memoryStepsTable(std::span<const RunMemory> runs);

} // namespace trainscope::report
