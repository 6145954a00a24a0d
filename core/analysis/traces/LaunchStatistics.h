#pragma once
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

#include "core/analysis/statistics/Distribution.h"
#include "core/analysis/traces/DeviceWalk.h"

namespace trainscope::analysis {

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

} // namespace trainscope::analysis
