#pragma once
// Busy, compute, communication, exposed, overlap and idle time of a traced rank, by unions of
// intervals over all streams of a device (design section 5), and its kernel table. Durations are
// exact nanoseconds.

#include "core/analysis/KernelCategory.h"
#include "core/model/Run.h"
#include "core/store/Store.h"

#include <map>
#include <string>
#include <vector>

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
// One rank and device.
struct DeviceBreakdown {
    int rank = -1;
    int device = -1;
    TimeRange window; // first kernel start to last kernel end
    std::int64_t kernelCount = 0;
    DurationNs kernelTime; // summed, not a union
    DurationNs busy; // |C ∪ M|
    DurationNs compute; // |C|
    DurationNs communication; // |M|
    DurationNs exposedCommunication; // |M \ C|
    DurationNs overlap; // |M ∩ C|
    DurationNs idle; // window − busy
    CategoryTime copies; // beside, counted in none of the above
    CategoryTime sets;
    std::map<std::string, CategoryTime> categories;
    std::vector<KernelRow> kernels; // by time, all of them
};

Result<std::vector<DeviceBreakdown>> traceBreakdown(const store::Store& store, const Run& run,
    const KernelCategories& categories = KernelCategories::builtIn(), TimeRange window = kAllTime);

} // namespace trainscope::analysis
