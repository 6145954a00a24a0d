#pragma once
// Self time of the calls on the host, where no device of a run was traced: the time of each call
// less that of the calls in it, summed over all threads.

#include "core/analysis/RunStudy.h"
#include "core/analysis/operators/CallTree.h"

namespace trainscope::analysis {

struct HostCalls {
    std::string name; // name of an operator, an annotation or a function
    std::int64_t calls = 0;
    DurationNs selfTime;
};

struct HostSelfTime {
    std::vector<int> ranks;
    std::int64_t threads = 0; // with calls
    std::int64_t calls = 0;
    DurationNs selfTime;
    TimeRange window; // from the first to the last call
    std::vector<HostCalls> byName; // the longest first
};

// Absent where a device was traced, or nothing was.
Result<std::optional<HostSelfTime>> hostSelfTime(const RunStudy& study);
// The same of a tree that is of the host.
std::vector<HostCalls> hostCalls(const CallTree& tree);

// "3 threads of rank 34", "24 threads of 8 ranks".
std::string hostPlaceText(const HostSelfTime& host);

} // namespace trainscope::analysis
