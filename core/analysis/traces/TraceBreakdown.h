#pragma once
// Busy, compute, communication, exposed, overlap, copy and idle time of a traced rank, by unions of
// intervals over all streams of a device, in all and per iteration, and its kernel table. Durations
// are exact nanoseconds. One pass over the spans; memory grows with the iterations and the names,
// not with the spans.

#include "core/analysis/traces/KernelCategory.h"
#include "core/analysis/traces/TraceWindow.h"

namespace trainscope::analysis {

struct KernelRow {
    std::string name;
    std::string category;
    std::int64_t count = 0;
    DurationNs time;
};
struct CategoryTime {
    std::int64_t count = 0;
    DurationNs time;
};
// Times of a device in a window; work that reaches over its edges counts with the part inside.
struct TimeBreakdown {
    TimeRange window;
    DurationNs traced; // part of the window: without the time between captures
    std::int64_t kernelCount = 0;
    DurationNs kernelTime; // summed, not a union
    DurationNs busy; // |C ∪ M ∪ P|
    DurationNs compute; // |C|
    DurationNs communication; // |M|
    DurationNs exposedCommunication; // |M \ C|
    DurationNs overlap; // |M ∩ C|
    DurationNs copy; // |P \ (C ∪ M)|
    DurationNs idle; // traced − busy
    CategoryTime copies; // summed, beside kernels too
    CategoryTime sets;
    std::map<std::string, CategoryTime> categories;
    DurationNs hostBound; // part of the idle time (DeviceActivity.h)
};
// Its window is the iteration as it was marked, as far as it lies in the window that was asked for,
// so idle counts the time before its first kernel and after its last too.
struct IterationBreakdown : TimeBreakdown {
    std::int64_t index = 0;
    bool warmup = false;
};
// One rank and device. The window: first begin to last end of any work.
struct DeviceBreakdown : TimeBreakdown {
    int rank = -1;
    int device = -1;
    std::vector<KernelRow> kernels; // by time, all of them
    std::vector<IterationBreakdown> iterations; // those that touch the device's spans, by time
};

} // namespace trainscope::analysis
