#include "importers/trace/HostRanges.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace trainscope::importers {

namespace {

constexpr std::uint32_t kMostCallsOfGroup = 256;

bool isNumberOfLaunch(std::int64_t correlation) {
    return correlation > 0 && correlation <= std::numeric_limits<std::uint32_t>::max();
}

} // namespace

void HostRanges::add(HostRange range, const NcclCall* call) {
    if (m_ranges.size() >= kMost) {
        m_isFull = true;
        return;
    }
    m_isFull = m_isFull || (call != nullptr && m_calls.size() >= kMostCalls);
    if (call != nullptr && m_calls.size() < kMostCalls) {
        range.call = static_cast<std::uint32_t>(m_calls.size());
        m_calls.push_back(*call);
    }
    m_ranges.push_back(range);
}

void HostRanges::nest() {
    std::sort(m_ranges.begin(), m_ranges.end(), [](const HostRange& a, const HostRange& b) {
        return std::tuple(a.thread, a.start, -a.end, a.name.value, a.call)
            < std::tuple(b.thread, b.start, -b.end, b.name.value, b.call);
    });
    std::vector<std::uint32_t> open;
    for (std::uint32_t index = 0; index < m_ranges.size(); ++index) {
        HostRange& range = m_ranges[index];
        const auto [found, isNew]
            = m_threads.try_emplace(range.thread, Thread{index, index, index});
        if (isNew)
            open.clear();
        while (!open.empty() && m_ranges[open.back()].end <= range.start)
            open.pop_back();
        range.parent = open.empty() ? HostRange::kNone : open.back();
        open.push_back(index);
        found->second.end = index + 1;
    }
    m_firstExtents.assign(m_ranges.size(), HostRange::kNone);
}

// The last range that began by then, or the nearest one around it that had not ended.
std::uint32_t HostRanges::openAt(Thread& thread, std::int64_t time) const {
    const auto begin = m_ranges.begin();
    constexpr std::uint32_t kMostSteps = 8;
    std::uint32_t at = thread.at;
    const bool isLater = at < thread.end && m_ranges[at].start <= time;
    for (std::uint32_t steps = 0; isLater && at + 1 < thread.end && steps < kMostSteps; ++steps) {
        if (m_ranges[at + 1].start > time)
            break;
        ++at;
    }
    const bool isFound = isLater && (at + 1 == thread.end || m_ranges[at + 1].start > time);
    if (!isFound) {
        const auto next = std::upper_bound(begin + thread.begin, begin + thread.end, time,
            [](std::int64_t moment, const HostRange& range) { return moment < range.start; });
        if (next == begin + thread.begin)
            return HostRange::kNone;
        at = static_cast<std::uint32_t>(next - begin) - 1;
    }
    thread.at = at;
    while (at != HostRange::kNone && m_ranges[at].end < time)
        at = m_ranges[at].parent;
    return at;
}

void HostRanges::launch(
    std::int64_t process, std::int64_t thread, std::int64_t time, std::int64_t correlation) {
    const auto found = m_threads.find(thread);
    if (found == m_threads.end() || !isNumberOfLaunch(correlation))
        return;
    const std::uint32_t range = openAt(found->second, time);
    if (range == HostRange::kNone)
        return;
    if (m_launchCount >= kMostLaunches) {
        m_isFull = true;
        return;
    }
    ++m_launchCount;
    m_launches[process].push_back({static_cast<std::uint32_t>(correlation), range});
}

void HostRanges::sortLaunches() {
    for (auto& [process, launches] : m_launches) {
        const auto isBefore
            = [](const Launch& a, const Launch& b) { return a.correlation < b.correlation; };
        if (!std::is_sorted(launches.begin(), launches.end(), isBefore))
            std::stable_sort(launches.begin(), launches.end(), isBefore);
    }
}

std::uint32_t HostRanges::work(std::int64_t process, std::int64_t correlation) {
    const auto found = m_launches.find(process);
    if (found == m_launches.end() || !isNumberOfLaunch(correlation))
        return HostRange::kNone;
    const auto launch = std::lower_bound(found->second.begin(), found->second.end(), correlation,
        [](const Launch& one, std::int64_t number) { return one.correlation < number; });
    return launch != found->second.end() && launch->correlation == correlation ? launch->range
                                                                               : HostRange::kNone;
}

void HostRanges::extend(
    std::uint32_t range, std::uint32_t stream, std::int64_t start, std::int64_t end) {
    std::uint32_t at = m_firstExtents[range];
    while (at != HostRange::kNone && m_extents[at].stream != stream)
        at = m_extents[at].next;
    if (at != HostRange::kNone) {
        m_extents[at].start = std::min(m_extents[at].start, start);
        m_extents[at].end = std::max(m_extents[at].end, end);
        return;
    }
    if (m_extents.size() >= kMostProjections) {
        m_isFull = true;
        return;
    }
    m_extents.push_back({stream, m_firstExtents[range], start, end});
    m_firstExtents[range] = static_cast<std::uint32_t>(m_extents.size() - 1);
}

void HostRanges::widenParent(std::uint32_t range) {
    const std::uint32_t parent = m_ranges[range].parent;
    if (parent == HostRange::kNone)
        return;
    for (std::uint32_t at = m_firstExtents[range]; at != HostRange::kNone;
         at = m_extents[at].next) {
        const Extent extent = m_extents[at];
        extend(parent, extent.stream, extent.start, extent.end);
    }
}

std::optional<NcclCall> HostRanges::callOf(std::uint32_t range) const {
    bool hasGroup = false;
    for (std::uint32_t at = range; at != HostRange::kNone; at = m_ranges[at].parent) {
        if (m_ranges[at].call == HostRange::kNone)
            continue;
        const NcclCall& call = m_calls[m_ranges[at].call];
        if (!call.collective.empty())
            return call;
        hasGroup = true;
        range = at;
    }
    if (!hasGroup)
        return std::nullopt;
    // The end of a group launches what was called since its start.
    std::optional<NcclCall> sum;
    for (std::uint32_t at = range, steps = 0; at > 0 && steps < kMostCallsOfGroup; ++steps) {
        const HostRange& before = m_ranges[--at];
        if (before.thread != m_ranges[range].thread)
            break;
        if (before.call == HostRange::kNone)
            continue;
        const NcclCall& call = m_calls[before.call];
        if (call.collective.empty())
            break;
        if (!sum) {
            sum = call;
            continue;
        }
        if (sum->collective != call.collective
            || sum->payload.communicator != call.payload.communicator)
            return std::nullopt;
        ++sum->merged;
        if (sum->payload.bytes && call.payload.bytes)
            *sum->payload.bytes += *call.payload.bytes;
    }
    return sum;
}

} // namespace trainscope::importers
