#pragma once
// The account of a device: all that it did in a window and in each of its iterations, summed
// (DeviceSums.h). Kept slices give the same account as a walk over the spans. One thread.

#include "core/analysis/traces/DeviceSums.h"
#include "core/analysis/traces/DeviceWalk.h"
#include "core/analysis/traces/LaunchStatistics.h"
#include "core/analysis/traces/TraceWindow.h"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <vector>

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

} // namespace trainscope::analysis
