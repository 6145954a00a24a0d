#pragma once
// Work of the GPUs and the hosts of a run in a stretch of time: the time of the devices with their
// kernels, launches and copies, host operators by name, and collectives with bytes, bandwidth and
// waits. Exact; one part after the other, in the order of the fields. Memory grows with the names
// and with the collectives of the stretch. Blocking; for a worker.

#include "core/analysis/traces/CollectiveKind.h"
#include "core/analysis/traces/DeviceActivity.h"
#include "core/analysis/traces/TraceBreakdown.h"
#include "core/analysis/traces/TraceWindow.h"

namespace trainscope::analysis {

struct DeviceLaunches {
    int rank = -1;
    int device = -1;
    DurationNs traced; // traced part of the stretch
    LaunchStatistics launches;
    CopyStatistics copies;
};

// Host operators of one name, over all threads of all ranks. Time is that inside the stretch; of
// operators that call others of their name, all count.
struct OperatorRow {
    std::string name;
    std::int64_t count = 0;
    DurationNs time;
    DurationNs self; // without the operators called by it
};

// The calls of one kind in communicators of one purpose, as each rank made them: those that start
// in the stretch, with their whole duration.
struct CallRow {
    CollectiveKind kind = CollectiveKind::Other;
    std::string group; // purpose of the communicator, else its name; empty: not said
    int ranks = 0; // in the communicator; 0: not known
    std::int64_t count = 0;
    DurationNs time;
    std::optional<double> bytes; // Σ of those that say it
    double waitS = 0.0; // Σ from the start of a call to the start of the last rank's
    std::int64_t matched = 0; // calls whose other ranks were traced
    // bytes / time of those that say the bytes, without their waits; B/s. Only communicators all of
    // whose ranks were traced, or else the others: their time holds what
    // is waited for whom nobody saw, and the bandwidth is a lower bound.
    std::optional<double> bandwidth;
    bool isLowerBound = false;
};

struct TraceSelection {
    std::string run;
    std::vector<DeviceBreakdown> devices; // those with records in the stretch; by rank, then device
    std::vector<DeviceLaunches> launches; // in the order of `devices`
    std::vector<OperatorRow> operators; // by time
    std::vector<CallRow> calls; // by time
};

// Told after each part but the last with what there is; may be empty.
using TellSelection = std::function<void(const TraceSelection&)>;

// Progress counts devices, then host threads; both are read on the pool of workers. Cancelled by
// it.
Result<TraceSelection> selectionOf(const RunStudy& study, const RankWindow& window,
    const KernelCategories& categories, const TellSelection& tell = {});

// The longest span of a stretch among kernels of a name or a category, or operators of a name; by
// its whole duration, the first of several. Absent where there is none.
enum class SpanGroup { KernelName, KernelCategory, OperatorName };
Result<std::optional<store::FoundSpan>> longestSpan(const RunStudy& study, const RankWindow& window,
    SpanGroup group, const std::string& name, const KernelCategories& categories);

} // namespace trainscope::analysis
