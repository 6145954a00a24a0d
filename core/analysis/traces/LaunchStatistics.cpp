#include "core/analysis/traces/LaunchStatistics.h"

#include "core/analysis/statistics/TimeRanges.h"

namespace trainscope::analysis {

LaunchFlow::LaunchFlow(std::size_t streams, TimeNs begin, std::span<const TimeRange> captures)
    : m_begin(begin)
    , m_busyUntil(begin)
    , m_captures(captures.begin(), captures.end())
    , m_queues(streams) {
    m_sums.queues.resize(streams);
}

void LaunchFlow::add(const DeviceWork& work) {
    const TimeNs start = work.span.start;
    if (start >= m_begin) {
        if (work.kernel != nullptr)
            ++(work.launch ? m_sums.joined : m_sums.unjoined);
        if (work.launch) {
            const TimeNs launched = work.launch->call.begin;
            m_sums.early += work.kernel != nullptr && start < launched ? 1 : 0;
            m_since = std::min(m_since, launched);
            enqueue(work.stream, start, launched, start);
            countGap(start, launched);
        }
    }
    m_busyUntil = std::max(m_busyUntil, start + work.span.duration);
}

void LaunchFlow::addLater(const DeviceWork& work, TimeNs end, bool isNext) {
    if (!work.launch)
        return;
    const TimeNs launched = work.launch->call.begin;
    if (launched < end)
        enqueue(work.stream, work.span.start, launched, end);
    if (isNext)
        countGap(end, launched);
}

// A stream starts its work in the order of the launches, so whoever has started by the time of one
// launch has by the next.
void LaunchFlow::enqueue(std::size_t stream, TimeNs start, TimeNs launched, TimeNs end) {
    Queue& queue = m_queues[stream];
    QueueSums& sums = m_sums.queues[stream];
    sums.isKnown = true;
    if (launched < queue.launched)
        m_since = std::min(m_since, queue.launchedStart);
    else
        queue.launchedStart = start;
    queue.launched = std::max(queue.launched, launched);
    while (!queue.starts.empty() && queue.starts.front() <= launched)
        queue.starts.pop_front();
    if (start <= launched)
        return;
    queue.starts.push_back(start);
    sums.maxDepth = std::max(sums.maxDepth, static_cast<std::int64_t>(queue.starts.size()));
    sums.waited = sums.waited + tracedIn({std::max(launched, m_begin), end});
}

DurationNs LaunchFlow::tracedIn(TimeRange range) const {
    if (m_captures.size() < 2)
        return range.length();
    auto capture = std::ranges::upper_bound(m_captures, range.begin, {}, &TimeRange::end);
    DurationNs length;
    for (; capture != m_captures.end() && capture->begin < range.end; ++capture)
        length = length + shared(*capture, range).length();
    return length;
}

void LaunchFlow::countGap(TimeNs start, TimeNs launched) {
    for (; m_captured < m_captures.size() && m_captures[m_captured].begin <= start; ++m_captured)
        m_busyUntil = std::max(m_busyUntil, m_captures[m_captured].begin);
    if (start <= m_busyUntil)
        return;
    m_since = std::min(m_since, m_busyUntil);
    const TimeNs until = std::min(start, launched);
    if (until > m_busyUntil)
        m_sums.hostBound = m_sums.hostBound + tracedIn({m_busyUntil, until});
}

LaunchSums LaunchFlow::take() {
    LaunchSums sums = std::exchange(m_sums, {});
    m_sums.queues.resize(m_queues.size());
    m_since = kAllTime.end;
    return sums;
}

LaunchStatistics launchStatistics(
    const LaunchSums& sums, std::span<const std::string> streams, DurationNs traced) {
    LaunchStatistics result;
    static_cast<LaunchCounts&>(result) = sums;
    for (std::size_t i = 0; i < sums.queues.size(); ++i) {
        const QueueSums& queue = sums.queues[i];
        if (!queue.isKnown || traced.ns <= 0)
            continue;
        // Each capture has tracks of its own for the same streams.
        auto known = std::ranges::find(result.queues, streams[i], &StreamQueue::stream);
        if (known == result.queues.end())
            known = result.queues.insert(known, {streams[i], 0.0, 0});
        known->meanDepth += static_cast<double>(queue.waited.ns) / static_cast<double>(traced.ns);
        known->maxDepth = std::max(known->maxDepth, queue.maxDepth);
    }
    return result;
}

void DelaySums::add(std::int64_t ns) {
    m_all.add(static_cast<double>(ns), 1);
    m_sum += static_cast<double>(ns);
    m_max = std::max(m_max, ns);
}

std::optional<DelayStatistics> DelaySums::statistics() const {
    const auto median = m_all.median();
    const auto p99 = m_all.quantile(0.99);
    if (!median || !p99)
        return std::nullopt;
    return DelayStatistics{m_sum / static_cast<double>(m_all.totalWeight()), *median, *p99, m_max};
}

} // namespace trainscope::analysis
