#pragma once
// The account of a device: all that it did in a window and in each of its iterations, summed
// (DeviceSums.h). Kept slices give the same account as a walk over the spans. Traces of all devices
// of a run in a window come from one pass over them: the kernel table, and the activity. One
// thread.

#include "core/analysis/RunStudy.h"
#include "core/analysis/traces/DeviceActivity.h"
#include "core/analysis/traces/DeviceSums.h"
#include "core/analysis/traces/DeviceWalk.h"
#include "core/analysis/traces/TraceBreakdown.h"
#include "core/analysis/traces/TraceWindow.h"

namespace trainscope::analysis {

struct DeviceAccount {
    DeviceSums sums; // without the delays
    DelaySums delays; // kernels that begin in the window
    DelaySums afterReturn; // kept slices do not have these
};

// The breakdown of the window; without its iterations.
Result<DeviceBreakdown> breakdownOf(const DeviceAccount& account, const DeviceTracks& device,
    const TraceWindow& shown, KernelNames& names);
// traced: how much of the window was.
LaunchStatistics launchesOf(
    const DeviceAccount& account, const DeviceTracks& device, DurationNs traced);

// Makes the account from the work of a device in order of start. Memory grows with the names and
// the iterations that are open, not with the spans. Delays are exact up to Distribution's bound.
class AccountMeter : public DeviceVisitor {
public:
    // Is given the sums of an iteration, by its place in TraceWindow::iterations, when it is over;
    // of those in whose time no part of the account lies, never.
    using TakeIteration = std::function<Status(std::size_t iteration, const DeviceSums& sums)>;

    // Refers to the store and the device.
    AccountMeter(const store::Store& store, const DeviceTracks& device, const TraceWindow& shown,
        TakeIteration take = {});

    Status work(const DeviceWork& work) override;
    [[nodiscard]] bool asksForLater() const override { return true; }
    Status later(const DeviceWork& work, bool isNext) override;
    // At the end, once.
    Result<DeviceAccount> finish();

private:
    void begin(TimeNs at);
    Status close(TimeNs end);
    Status add(TimeRange range, const DeviceSums& part);
    Status addToIteration(std::size_t iteration, TimeNs end, const DeviceSums& part);

    const store::Store& m_store;
    const DeviceTracks& m_device;
    TraceWindow m_shown;
    TakeIteration m_take;
    std::optional<DeviceSumsMeter> m_meter; // once the window has begun
    std::vector<TimeNs> m_cuts; // begins and ends of iterations, ascending
    std::size_t m_cut = 0; // those before it are done
    OpenWindows m_windows; // as the iterations, if anybody takes them
    std::map<std::size_t, DeviceSums> m_open; // by iteration
    DeviceAccount m_account;
    bool m_isFirst = true;
};

// The iterations of a window, of which nothing is known but their times.
std::vector<IterationBreakdown> markedIterations(const TraceWindow& shown);

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
