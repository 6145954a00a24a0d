#pragma once
// How work gets from the host to a device, from runtime calls and what they launched (joined by
// correlation). µs and shares are the caller's business; times are whole nanoseconds.
//   delay        from the begin of the call to the start of the kernel; 0 where the clocks of host
//                and device put the kernel first (counted)
//   queue depth  of a stream: its kernels, copies and memsets whose call has begun and which have
//                not started; a graph's kernels all wait from the call that launched the graph
//   host-bound   time in which nothing ran on the device and what ended that was not yet launched:
//                the device waited for the host

#include "core/analysis/statistics/Distribution.h"
#include "core/analysis/traces/DeviceWalk.h"
#include "core/analysis/traces/TraceWindow.h"

#include <deque>
#include <optional>
#include <vector>

namespace trainscope::analysis {

struct DelayStatistics {
    double meanNs = 0.0;
    double medianNs = 0.0;
    double p99Ns = 0.0; // the smallest delay that 99 % do not exceed
    std::int64_t maxNs = 0;
};

struct StreamQueue {
    std::string stream;
    double meanDepth = 0.0; // over time, in the window
    std::int64_t maxDepth = 0;
};

struct LaunchStatistics {
    std::int64_t joined = 0; // kernels whose call is known
    std::int64_t unjoined = 0; // kernels whose call the trace does not have
    std::int64_t early = 0; // of those joined: they seem to start before their call
    std::optional<DelayStatistics> delay;
    std::optional<DelayStatistics> afterReturn; // the same from the end of the call
    std::vector<StreamQueue> queues; // of streams with a known call
    DurationNs hostBound;
};

// Memory grows with the depth of the queues. For whole delays the distribution rounds beyond
// Distribution::kMaxEntries different ones.
class LaunchMeter : public DeviceVisitor {
public:
    LaunchMeter(const DeviceTracks& device, const TraceWindow& shown);

    Status work(const DeviceWork& work) override;
    // window: that of the figures.
    LaunchStatistics result(TimeRange window) const;

private:
    struct Queue {
        std::string name;
        std::deque<TimeNs> starts; // of work that may still wait when the next is launched
        double waitedNs = 0.0; // Σ of the time each waited, inside the window
        std::int64_t maxDepth = 0;
        bool isKnown = false;
    };
    struct Delays {
        Distribution all;
        double sum = 0.0;
        std::int64_t max = 0;

        void add(std::int64_t ns);
        [[nodiscard]] std::optional<DelayStatistics> statistics() const;
    };
    void enqueue(Queue& queue, const DeviceWork& work);
    void countDelay(const DeviceWork& work);
    void countGap(const DeviceWork& work);

    TimeRange m_range;
    std::optional<TimeNs> m_begin; // of the window
    std::vector<Queue> m_queues; // as the streams
    Delays m_delays;
    Delays m_afterReturn;
    LaunchStatistics m_result;
    TimeNs m_busyUntil;
};

} // namespace trainscope::analysis
