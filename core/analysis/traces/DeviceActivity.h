#pragma once
// Activity of a traced device: phases, launches and copies.

#include "core/analysis/statistics/Distribution.h"
#include "core/analysis/traces/DeviceWalk.h"
#include "core/analysis/traces/TraceWindow.h"

namespace trainscope::analysis {

// Path of work from the host to a device, from runtime calls and the work that they launched
// (joined by correlation). µs and shares are the caller's business; times are whole nanoseconds.
//   delay        from the begin of the call to the start of the kernel; 0 where the clocks of host
//                and device put the kernel first (counted)
//   queue depth  of a stream: its kernels, copies and memsets whose call has begun and which have
//                not started; a graph's kernels all wait from the call that launched the graph
//   host-bound   time in which nothing ran on the device and what ended that was not yet launched:
//                the device waited for the host
// Only traced time counts, not what lies between captures, also where work waits or a window ends
// there: host-bound time is a part of the idle time. In a window, delays are those of the kernels
// that start in it; what waits in it, or ends an idle time of it, may start behind its end.

struct DelayStatistics {
    double meanNs = 0.0;
    double medianNs = 0.0;
    double p99Ns = 0.0; // the smallest delay that 99 % do not exceed
    std::int64_t maxNs = 0;
};

struct StreamQueue {
    std::string stream;
    double meanDepth = 0.0; // over the traced time of the window
    std::int64_t maxDepth = 0;
};

struct LaunchCounts {
    std::int64_t joined = 0; // kernels whose call is known
    std::int64_t unjoined = 0; // kernels whose call the trace does not have
    std::int64_t early = 0; // joined ones that seem to start before their call
    DurationNs hostBound;
};

struct LaunchStatistics : LaunchCounts {
    std::optional<DelayStatistics> delay;
    std::optional<DelayStatistics> afterReturn; // the same from the end of the call
    std::vector<StreamQueue> queues; // streams with a known call, each once
};

// Sums over a stretch of a device's work.
struct QueueSums {
    DurationNs waited; // sum over works, from call to start
    std::int64_t maxDepth = 0;
    bool isKnown = false; // some call is
};
struct LaunchSums : LaunchCounts {
    std::vector<QueueSums> queues; // as the streams
};

// The queues of a device and its waiting for the host, from its work in order of start. Memory
// grows with the depth of the queues.
class LaunchFlow {
public:
    // Work that starts before `begin` only keeps the device busy.
    LaunchFlow(std::size_t streams, TimeNs begin, std::span<const TimeRange> captures = {});

    void add(const DeviceWork& work);
    // Work that begins behind `end`, of each stream in order; the next of the device or not.
    void addLater(const DeviceWork& work, TimeNs end, bool isNext);
    // Sums since the last call; the queues go on.
    LaunchSums take();
    // The earliest moment on which that depends: it is the same for every flow that began no later.
    [[nodiscard]] TimeNs since() const { return m_since; }

private:
    struct Queue {
        std::deque<TimeNs> starts; // works that may still wait when the next is launched
        TimeNs launched = kAllTime.begin; // the latest call so far
        TimeNs launchedStart; // start of its work
    };
    // Counts waiting up to `end`.
    void enqueue(std::size_t stream, TimeNs start, TimeNs launched, TimeNs end);
    void countGap(TimeNs start, TimeNs launched);
    [[nodiscard]] DurationNs tracedIn(TimeRange range) const;

    TimeNs m_begin;
    TimeNs m_busyUntil;
    TimeNs m_since = kAllTime.end;
    std::vector<TimeRange> m_captures; // the device's (DeviceTracks); none: all was traced
    std::size_t m_captured = 0; // those that have begun
    std::vector<Queue> m_queues; // as the streams
    LaunchSums m_sums;
};

// Without the delays. streams: their names; traced: how much of the window was.
LaunchStatistics launchStatistics(
    const LaunchSums& sums, std::span<const std::string> streams, DurationNs traced);

// Delays of launches, ns. The distribution rounds beyond Distribution::kMaxEntries different ones.
class DelaySums {
public:
    void add(std::int64_t ns);
    // Absent without any.
    [[nodiscard]] std::optional<DelayStatistics> statistics() const;

private:
    Distribution m_all;
    double m_sum = 0.0;
    std::int64_t m_max = 0;
};

// Time of each phase (Phase.h) on a device: whole nanoseconds.
struct WindowPhases {
    TimeRange window;
    DurationNs traced; // part of the window: without the time between captures
    ByPhase<DurationNs> time; // sums to what was traced
    DurationNs sendRecvOnly; // part of the exposed communication: nothing but SendRecv ran
    // Nothing ran, or nothing but SendRecv: what a pipeline bubble looks like.
    [[nodiscard]] DurationNs waiting() const { return time[Phase::Idle] + sendRecvOnly; }
};

struct IterationPhases : WindowPhases {
    std::int64_t index = 0;
    bool warmup = false;
};

// Shares of a device's busy time by the category of its work, of the built-in table. Time in which
// compute kernels run belongs to these, else to the kernels of communication; kernels that run at
// once share it equally.
class CategoryShares {
public:
    // An exposed collective by its category and the detail of its spans.
    using Collective = std::pair<std::string, NameId>;

    void add(DurationNs length, const Running& running);

    // s; with "copy", without idle.
    [[nodiscard]] std::map<std::string, double> seconds() const;
    [[nodiscard]] std::map<Collective, double> exposed() const; // s

private:
    struct Category {
        std::string text; // the walk's is gone when it has ended
        double ns = 0.0;
    };
    std::size_t placeOf(const std::string* category);

    // In the order in which they are met, in which they are added: sums of the same spans are the
    // same to the last digit.
    std::vector<Category> m_categories;
    // A walk keeps one text for each category of a kernel, whose address tells it.
    std::unordered_map<const std::string*, std::size_t> m_places;
    double m_copyNs = 0.0;
    std::map<std::pair<std::size_t, NameId>, double> m_exposed;
};

class PhaseMeter : public DeviceVisitor {
public:
    explicit PhaseMeter(const TraceWindow& shown);

    Status piece(TimeRange range, const Running& running) override;
    // After the walk, whose evidence says what unmarked compute is.
    WindowPhases all(const MarkEvidence& evidence) const;
    std::vector<IterationPhases> iterations(const MarkEvidence& evidence) const;
    // Shares of the iterations, if there are any, else of the window.
    [[nodiscard]] const CategoryShares& shares() const { return m_shares; }
    // Exposed time of each kind of collective ("all_reduce") in the window; where several ran at
    // once, each counts.
    [[nodiscard]] const std::map<std::string, DurationNs>& exposedByKind() const {
        return m_exposedByKind;
    }

private:
    static void finish(WindowPhases& window, const MarkEvidence& evidence);
    void addKinds(DurationNs length, const Running& running);

    WindowPhases m_all;
    TraceWindow m_shown;
    bool m_isFirst = true;
    std::vector<IterationPhases> m_iterations;
    OpenWindows m_windows; // as the iterations
    CategoryShares m_shares;
    std::map<std::string, DurationNs> m_exposedByKind;
};

// Copies of a device by direction, with bytes and bandwidth where the trace tells the bytes.
struct CopyKind {
    std::int64_t count = 0;
    DurationNs time; // summed
    std::int64_t withBytes = 0; // part of the count: told and wholly inside the window
    std::int64_t bytes = 0;
    DurationNs timeWithBytes;

    // B/s while copying; absent where no copy tells its bytes or none takes time.
    [[nodiscard]] std::optional<double> bandwidth() const;
};
using CopyStatistics = std::map<std::string, CopyKind>; // "HtoD", "DtoH", "DtoD", "PtoP", "other"

// "Memcpy HtoD (Pinned -> Device)" → "HtoD"; "CopyHostToDevice" → "HtoD".
std::string copyDirection(std::string_view name);
// "bytes" of the detail of a copy or set; absent where the trace does not say it.
std::optional<std::int64_t> movedBytes(std::string_view detail);

// All that one pass over a rank's trace tells about its devices besides the kernel table: phases,
// launches, copies; and the kernel table too, where it is wanted.
struct DeviceActivity {
    int rank = -1;
    int device = -1;
    WindowPhases phases;
    std::vector<IterationPhases> iterations; // by time
    MarkEvidence evidence;
    LaunchStatistics launches;
    CopyStatistics copies;
    CategoryShares shares;
    std::map<std::string, DurationNs> exposedByKind; // PhaseMeter
};

} // namespace trainscope::analysis
