#include "core/analysis/traces/LaunchStatistics.h"

#include <algorithm>

namespace trainscope::analysis {

LaunchMeter::LaunchMeter(const DeviceTracks& device, const TraceWindow& shown)
    : m_range(shown.range) {
    if (shown.fixed)
        m_begin = shown.fixed->begin;
    m_busyUntil = m_begin.value_or(TimeNs{});
    for (const Track& stream : device.streams)
        m_queues.push_back({stream.description.thread, {}, 0.0, 0, false});
}

Status LaunchMeter::work(const DeviceWork& work) {
    const bool isKernel = work.kernel != nullptr;
    if (!m_begin) {
        if (!isKernel) // the window begins with the first kernel
            return {};
        m_begin = work.span.start;
        m_busyUntil = work.span.start;
    }
    const bool isInside = m_range.contains(work.span.start);
    if (isInside && isKernel)
        countDelay(work);
    if (isInside && work.launch)
        enqueue(m_queues[work.stream], work);
    if (isInside)
        countGap(work);
    m_busyUntil = std::max(m_busyUntil, work.span.start + work.span.duration);
    return {};
}

void LaunchMeter::countDelay(const DeviceWork& work) {
    if (!work.launch) {
        ++m_result.unjoined;
        return;
    }
    ++m_result.joined;
    const std::int64_t delay = (work.span.start - work.launch->call.begin).ns;
    m_result.early += delay < 0 ? 1 : 0;
    m_delays.add(std::max<std::int64_t>(delay, 0));
    m_afterReturn.add(std::max<std::int64_t>((work.span.start - work.launch->call.end).ns, 0));
}

// A stream starts its work in the order of the launches, so whoever has started by the time of one
// launch has by the next.
void LaunchMeter::enqueue(Queue& queue, const DeviceWork& work) {
    const TimeNs launched = work.launch->call.begin;
    queue.isKnown = true;
    while (!queue.starts.empty() && queue.starts.front() <= launched)
        queue.starts.pop_front();
    if (work.span.start <= launched)
        return;
    queue.starts.push_back(work.span.start);
    queue.maxDepth = std::max(queue.maxDepth, static_cast<std::int64_t>(queue.starts.size()));
    const TimeNs from = std::max(launched, *m_begin);
    queue.waitedNs += static_cast<double>(std::max<std::int64_t>((work.span.start - from).ns, 0));
}

void LaunchMeter::countGap(const DeviceWork& work) {
    if (!work.launch || work.span.start <= m_busyUntil)
        return;
    const TimeNs until = std::min(work.span.start, work.launch->call.begin);
    if (until > m_busyUntil)
        m_result.hostBound = m_result.hostBound + (until - m_busyUntil);
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

LaunchStatistics LaunchMeter::result(TimeRange window) const {
    LaunchStatistics result = m_result;
    result.delay = m_delays.statistics();
    result.afterReturn = m_afterReturn.statistics();
    for (const Queue& queue : m_queues) {
        if (queue.isKnown && !window.isEmpty())
            result.queues.push_back({queue.name,
                queue.waitedNs / static_cast<double>(window.length().ns), queue.maxDepth});
    }
    return result;
}

} // namespace trainscope::analysis
