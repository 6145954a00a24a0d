#include "core/analysis/traces/LaunchStatistics.h"

#include <algorithm>
#include <utility>

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
    sums.waited = sums.waited + (end - std::max(launched, m_begin));
}

void LaunchFlow::countGap(TimeNs start, TimeNs launched) {
    for (; m_captured < m_captures.size() && m_captures[m_captured].begin <= start; ++m_captured)
        m_busyUntil = std::max(m_busyUntil, m_captures[m_captured].begin);
    if (start <= m_busyUntil)
        return;
    m_since = std::min(m_since, m_busyUntil);
    const TimeNs until = std::min(start, launched);
    if (until > m_busyUntil)
        m_sums.hostBound = m_sums.hostBound + (until - m_busyUntil);
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
    result.joined = sums.joined;
    result.unjoined = sums.unjoined;
    result.early = sums.early;
    result.hostBound = sums.hostBound;
    for (std::size_t i = 0; i < sums.queues.size(); ++i) {
        const QueueSums& queue = sums.queues[i];
        if (queue.isKnown && traced.ns > 0)
            result.queues.push_back(
                {streams[i], static_cast<double>(queue.waited.ns) / static_cast<double>(traced.ns),
                    queue.maxDepth});
    }
    return result;
}

LaunchMeter::LaunchMeter(const DeviceTracks& device, const TraceWindow& shown)
    : m_range(shown.range)
    , m_captures(device.captures) {
    for (const Track& stream : device.streams)
        m_streams.push_back(stream.description.thread);
    if (shown.fixed)
        m_flow.emplace(m_streams.size(), shown.fixed->begin, m_captures);
}

Status LaunchMeter::work(const DeviceWork& work) {
    if (!m_flow) // the window begins with the first work
        m_flow.emplace(m_streams.size(), work.span.start, m_captures);
    if (m_range.contains(work.span.start) && work.kernel != nullptr && work.launch)
        countDelay(work);
    m_flow->add(work);
    return {};
}

Status LaunchMeter::later(const DeviceWork& work, bool isNext) {
    if (m_flow)
        m_flow->addLater(work, m_range.end, isNext);
    return {};
}

void LaunchMeter::countDelay(const DeviceWork& work) {
    const std::int64_t delay = (work.span.start - work.launch->call.begin).ns;
    m_delays.add(std::max<std::int64_t>(delay, 0));
    m_afterReturn.add(std::max<std::int64_t>((work.span.start - work.launch->call.end).ns, 0));
}

void LaunchMeter::Delays::add(std::int64_t ns) {
    all.add(static_cast<double>(ns), 1);
    sum += static_cast<double>(ns);
    max = std::max(max, ns);
}

std::optional<DelayStatistics> LaunchMeter::Delays::statistics() const {
    const auto median = all.median();
    const auto p99 = all.quantile(0.99);
    if (!median || !p99)
        return std::nullopt;
    return DelayStatistics{sum / static_cast<double>(all.totalWeight()), *median, *p99, max};
}

LaunchStatistics LaunchMeter::result(DurationNs traced) {
    LaunchStatistics result
        = launchStatistics(m_flow ? m_flow->take() : LaunchSums(), m_streams, traced);
    result.delay = m_delays.statistics();
    result.afterReturn = m_afterReturn.statistics();
    return result;
}

} // namespace trainscope::analysis
