#pragma once
// Traces of all devices of a run in a window, from one pass over them: the kernel table, and the
// activity.

#include "core/analysis/RunStudy.h"
#include "core/analysis/traces/DeviceAccount.h"
#include "core/analysis/traces/DeviceActivity.h"
#include "core/analysis/traces/RankWindow.h"
#include "core/analysis/traces/TraceBreakdown.h"

#include <vector>

namespace trainscope::analysis {

struct DeviceTrace {
    DeviceBreakdown breakdown;
    DeviceActivity activity;
};

// A device's trace in a window, from one walk over its range: the one place where phases and
// account of a device are metered.
class TraceMeter {
public:
    // Refers to the store, the device and the categories. `also`: who takes the sums of each
    // iteration besides.
    TraceMeter(const store::Store& store, const DeviceTracks& device, const TraceWindow& shown,
        const KernelCategories& categories, AccountMeter::TakeIteration also = {});
    TraceMeter(const TraceMeter&) = delete;
    TraceMeter& operator=(const TraceMeter&) = delete;
    ~TraceMeter() = default;

    PhaseMeter phases;
    AccountMeter account;
    // After the walk, once.
    Result<DeviceTrace> finish(const MarkEvidence& evidence);
    [[nodiscard]] const DeviceSums& sums() const { return m_sums; } // behind it, of the window

private:
    const DeviceTracks& m_device;
    TraceWindow m_shown;
    KernelNames m_names;
    std::vector<IterationBreakdown> m_iterations;
    DeviceSums m_sums;
};

// Reads all traced devices, by rank, then device; the window is on the clock of each rank,
// iterations count as for traceBreakdown().
Result<std::vector<DeviceTrace>> deviceTraces(const RunStudy& study,
    const KernelCategories& categories, const RankWindow& window,
    const IterationChoice& iterations);

// `window`: other than kAllTime, the devices' windows are what it shares with their spans.
Result<std::vector<DeviceBreakdown>> traceBreakdown(const RunStudy& study,
    const KernelCategories& categories = KernelCategories::builtIn(), TimeRange window = kAllTime,
    const IterationChoice& iterations = {});

} // namespace trainscope::analysis
