#pragma once
// The account of a device: all that it did in a window and in each of its iterations, summed
// (DeviceSums). Kept slices give the same account as a walk over the spans. Traces of all devices
// of a run in a window come from one pass over them: the kernel table, and the activity. One
// thread.

#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/traces/DeviceActivity.h"
#include "core/analysis/traces/DeviceWalk.h"
#include "core/analysis/traces/KernelCategory.h"
#include "core/analysis/traces/TraceBreakdown.h"
#include "core/analysis/traces/TraceWindow.h"
#include "core/store/codec/Bytes.h"

namespace trainscope::analysis {

// Sums of a device's work in a part of its time. Sums of parts that follow each other add up to
// those of the whole: times are cut at the edges of the part, and work counts where it begins. One
// thread.

// The kernels of a name whose details name one collective.
struct KernelSum {
    NameId name;
    NameId detail; // one of those; invalid: none names any
    std::int64_t count = 0; // kernels that begin in the part
    std::int64_t carried = 0; // kernels that began before it
    DurationNs time;
};

// Copies of a direction, or sets; those count that begin in the part, their bytes where they are
// stated and the copy ends in the window.
struct CopySum : CopyKind {
    std::int64_t carried = 0; // copies that began before it
};

inline constexpr std::array<std::string_view, 6> kCopyDirections{
    "HtoD", "DtoH", "DtoD", "PtoP", "HtoH", "other"};

struct DeviceSums {
    DurationNs busy; // unions over all streams; with copies and sets
    DurationNs kernelBusy; // compute and communication
    DurationNs compute;
    DurationNs communication;
    TimeRange work = kNoTime; // first start to last end of what begins here
    [[nodiscard]] bool hasWork() const { return work != kNoTime; }
    std::vector<KernelSum> names; // by name, then detail
    std::array<CopySum, kCopyDirections.size()> copies;
    CopySum sets;
    LaunchSums launches;
    // Delays of the kernels that begin here and whose call is known, in their order, ns: from the
    // call's begin to the kernel's start, and from the call's end.
    std::vector<std::int64_t> delays;
    std::vector<std::int64_t> afterReturn; // not kept

    // A part that follows, without its delays; what it carries was counted before, unless it is the
    // first.
    void add(const DeviceSums& part, bool isFirst);
};

// Without delays. False: the bytes are none of these.
void encodeSums(const DeviceSums& sums, store::Bytes& out);
bool decodeSums(store::ByteView bytes, DeviceSums& sums);
// Ascending.
void encodeDelays(std::span<const std::int64_t> delays, store::Bytes& out);
bool decodeDelays(store::ByteView bytes, std::vector<std::int64_t>& delays);

// Sums parts one after the other, from the work of a device in order of start. Memory grows with
// the work of a part.
class DeviceSumsMeter : public DeviceVisitor {
public:
    // Launches are followed from `launchBegin`; work before `begin` only leads up to the first
    // part. windowEnd: where the walk and the window of the last part end, if work counts that
    // waits there and begins later.
    DeviceSumsMeter(const store::Store& store, const DeviceTracks& device, TimeNs launchBegin,
        TimeNs begin, std::optional<TimeNs> windowEnd = {});

    Status work(const DeviceWork& work) override;
    [[nodiscard]] bool asksForLater() const override { return m_windowEnd.has_value(); }
    Status later(const DeviceWork& work, bool isNext) override;
    // Ends the part here; all work that begins before was added. The next part follows, and work
    // that begins with it may have been added already; its launch counts in the part that ends.
    Result<DeviceSums> close(TimeNs end);
    // The same for the last part of that window: copies that end later do not say their bytes.
    Result<DeviceSums> closeLast(TimeRange window);

    [[nodiscard]] TimeNs partBegin() const { return m_partBegin; }
    [[nodiscard]] std::size_t begun() const { return m_begun; } // in this part
    [[nodiscard]] TimeNs lastStart() const { return m_lastStart; }
    [[nodiscard]] bool hasWork() const { return m_hasWork; } // so far
    [[nodiscard]] TimeNs since() const { return m_flow.since(); } // LaunchFlow

private:
    struct Work {
        Span span;
        bool isCommunication = false;
    };
    struct CopyFacts {
        std::size_t direction = 0;
        std::optional<std::int64_t> bytes;
    };
    // A part; `last`: the window that ends with it.
    Result<DeviceSums> sum(TimeRange part, const std::optional<TimeRange>& last);
    using KernelRows = std::unordered_map<std::pair<NameId, NameId>, KernelSum, NamePairHash>;
    Status addKernel(const Work& work, const TimeRange& part, KernelRows& rows);
    Status addCopy(const Work& work, const TimeRange& part, const std::optional<TimeRange>& last,
        DeviceSums& sums);
    Result<NameId> collectiveOf(const Span& span);
    Result<CopyFacts> factsOf(const Span& span);

    const store::Store& m_store;
    TimeNs m_partBegin;
    std::optional<TimeNs> m_windowEnd;
    LaunchFlow m_flow;
    std::vector<Work> m_works; // works that touch the part
    std::vector<std::int64_t> m_delays;
    std::vector<std::int64_t> m_afterReturn;
    std::size_t m_begun = 0;
    TimeNs m_lastStart = kAllTime.begin;
    bool m_hasWork = false;
    std::unordered_map<std::pair<NameId, NameId>, NameId, NamePairHash> m_collectives;
    std::map<std::pair<NameId, std::string>, NameId> m_firstDetails; // by name and collective
    std::map<std::pair<NameId, NameId>, CopyFacts> m_copies; // by name and detail
};

// The times of a window and of the categories, from its sums; the window and how much of it was
// traced are there already.
Status breakDown(const DeviceSums& sums, KernelNames& names, TimeBreakdown& times);
// The same with the kernel table, without the rank, the device and the iterations.
Result<DeviceBreakdown> breakdownOf(
    const DeviceSums& sums, TimeRange window, DurationNs traced, KernelNames& names);
CopyStatistics copiesOf(const DeviceSums& sums);

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
