#include "importers/memorysnapshot/AllocatorHistory.h"

#include <iterator>

namespace trainscope::importers::memorysnapshot {

namespace {

using analysis::MemoryUse;

constexpr std::int64_t kRounding = 512; // by PyTorch's allocator

std::int64_t roundedUp(std::int64_t size) {
    return std::max(kRounding, (size + kRounding - 1) / kRounding * kRounding);
}

std::int64_t endOf(std::int64_t begin, std::int64_t size) {
    return clampedSum(begin, size);
}

} // namespace

void AddressRanges::add(std::int64_t begin, std::int64_t size, bool grows) {
    const std::int64_t end = endOf(begin, size);
    if (m_ranges.size() >= kMost || end <= begin)
        return;
    const bool overlaps = remove(begin, size) > 0;
    m_total = clampedSum(m_total, end - begin);
    const auto at = m_ranges.emplace(begin, end).first;
    if (!grows && !overlaps)
        return;
    if (const auto next = std::next(at); next != m_ranges.end() && next->first == at->second) {
        at->second = next->second;
        m_ranges.erase(next);
    }
    if (at != m_ranges.begin() && std::prev(at)->second == at->first) {
        std::prev(at)->second = at->second;
        m_ranges.erase(at);
    }
}

std::vector<std::pair<std::int64_t, std::int64_t>> AddressRanges::missing(
    std::int64_t begin, std::int64_t size) const {
    std::vector<std::pair<std::int64_t, std::int64_t>> parts;
    const std::int64_t end = endOf(begin, size);
    std::int64_t from = begin;
    auto at = m_ranges.upper_bound(begin);
    if (at != m_ranges.begin() && std::prev(at)->second > begin)
        from = std::prev(at)->second;
    for (; at != m_ranges.end() && at->first < end; ++at) {
        if (at->first > from)
            parts.emplace_back(from, at->first);
        from = std::max(from, at->second);
    }
    if (from < end)
        parts.emplace_back(from, end);
    return parts;
}

std::int64_t AddressRanges::remove(std::int64_t begin, std::int64_t size) {
    const std::int64_t end = endOf(begin, size);
    std::int64_t removed = 0;
    auto at = m_ranges.upper_bound(begin);
    if (at != m_ranges.begin() && std::prev(at)->second > begin)
        --at;
    while (at != m_ranges.end() && at->first < end) {
        const auto [from, to] = *at;
        at = m_ranges.erase(at);
        if (from < begin)
            m_ranges.emplace(from, begin);
        if (to > end)
            m_ranges.emplace(end, to);
        removed += std::min(to, end) - std::max(from, begin);
    }
    m_total -= removed;
    return removed;
}

void AllocatorHistory::insert(AliveMap& into, std::int64_t address, const Alive& one) {
    if (into.size() < kMostAlive || into.contains(address))
        into[address] = one;
    else
        m_isTooLarge = true;
}

void AllocatorHistory::scan(const AllocatorEvent& event) {
    ++m_events;
    if (event.timeUs)
        m_firstUs = std::min(m_firstUs.value_or(*event.timeUs), *event.timeUs);
    if (apply(event))
        m_lastChange = m_events;
    if (event.action == Action::Alloc) {
        ++m_allocations;
        m_lastAllocation = m_events;
    }
    if (event.action == Action::OutOfMemory)
        m_lastOutOfMemory = m_events;
    if (m_allocated > m_mostAllocated) {
        m_mostAllocated = m_allocated;
        m_peakAt = m_events;
    }
}

void AllocatorHistory::take(AllocatorSegment&& segment) {
    if (m_segments.size() < AddressRanges::kMost)
        m_segments.push_back(std::move(segment));
    else
        m_isTooLarge = true;
}

AllocatorHistory::Alive AllocatorHistory::aliveOf(const AllocatorBlock& block) const {
    return {block.requested > 0 ? block.requested : block.size, block.size, block.stack};
}

void AllocatorHistory::rewind() {
    AliveMap pendingBefore;
    for (const AllocatorSegment& segment : m_segments) {
        for (const auto& [from, to] : m_reserved.missing(segment.address, segment.size))
            m_reservedBefore.add(from, to - from, segment.isExpandable);
        m_reserved.add(segment.address, segment.size, segment.isExpandable);
        for (const AllocatorBlock& block : segment.blocks) {
            if (block.isAllocated && !m_alive.contains(block.address))
                insert(m_aliveBefore, block.address, aliveOf(block));
            else if (block.isPending && !m_pending.contains(block.address))
                insert(pendingBefore, block.address, aliveOf(block));
        }
    }
    m_isScan = false;
    m_alive = std::move(m_aliveBefore);
    m_pending = std::move(pendingBefore);
    m_reserved = std::move(m_reservedBefore);
    m_hasRequests = false;
    m_allocated = 0;
    for (const auto& [address, one] : m_alive)
        m_allocated = clampedSum(m_allocated, one.size);
    m_record.events = m_events;
    m_record.endedSo = m_lastOutOfMemory > m_lastAllocation;
    if (m_peakAt == 0 && m_events > 0)
        takePeak(m_firstUs ? std::optional(TimeNs{*m_firstUs * 1000}) : std::nullopt);
}

bool AllocatorHistory::replay(const AllocatorEvent& event, std::optional<TimeNs> time) {
    ++m_at;
    const bool hasChanged = apply(event);
    if (m_at == m_peakAt)
        takePeak(time);
    if (event.action == Action::OutOfMemory)
        takeOutOfMemory(event, time);
    return hasChanged;
}

void AllocatorHistory::finish(std::optional<TimeNs> time) {
    if (m_events == 0)
        takePeak(time);
}

bool AllocatorHistory::apply(const AllocatorEvent& event) {
    switch (event.action) {
    case Action::Alloc: {
        if (const auto lost = m_alive.find(event.address); lost != m_alive.end()) {
            m_allocated = clampedDifference(m_allocated, lost->second.size);
            m_alive.erase(lost);
        }
        m_pending.erase(event.address);
        insert(m_alive, event.address, {event.size, roundedUp(event.size), event.stack});
        m_allocated = clampedSum(m_allocated, event.size);
        return true;
    }
    case Action::FreeRequested:
    case Action::FreeCompleted:
        return applyFree(event);
    case Action::SegmentAlloc:
    case Action::SegmentMap:
        m_reserved.add(event.address, event.size, event.action == Action::SegmentMap);
        return true;
    case Action::SegmentFree:
    case Action::SegmentUnmap:
        applyUnmapped(event);
        return true;
    case Action::OutOfMemory:
    case Action::Other:
        break;
    }
    return false;
}

// An allocation that is freed and was never made was there before.
bool AllocatorHistory::applyFree(const AllocatorEvent& event) {
    const bool isRequest = event.action == Action::FreeRequested;
    m_hasRequests = m_hasRequests || isRequest;
    if (!isRequest && m_pending.erase(event.address) > 0)
        return false;
    Alive freed{event.size, roundedUp(event.size), kNoStack};
    if (const auto found = m_alive.find(event.address); found != m_alive.end()) {
        freed = found->second;
        m_alive.erase(found);
    } else {
        const bool isAskedBefore = !isRequest && m_hasRequests; // before the first event
        if (isAskedBefore || !m_isScan)
            return false;
        insert(m_aliveBefore, event.address, freed);
    }
    m_allocated = clampedDifference(m_allocated, freed.size);
    if (isRequest)
        insert(m_pending, event.address, freed);
    return true;
}

void AllocatorHistory::applyUnmapped(const AllocatorEvent& event) {
    if (m_isScan) {
        for (const auto& [from, to] : m_reserved.missing(event.address, event.size))
            m_reservedBefore.add(from, to - from, event.action == Action::SegmentUnmap);
    }
    m_reserved.remove(event.address, event.size);
}

void AllocatorHistory::takePeak(std::optional<TimeNs> time) {
    analysis::MemoryPeak& peak = m_record.peak;
    peak.time = time;
    peak.allocated = m_allocated;
    peak.reserved = m_reserved.total();
    peak.count = static_cast<std::int64_t>(m_alive.size());
    std::map<std::pair<StackId, std::int64_t>, std::int64_t> groups; // stack and size → count
    std::map<MemoryUse, std::int64_t> byUse;
    for (const auto& [address, one] : m_alive) {
        ++groups[{one.stack, one.size}];
        std::int64_t& bytes = byUse[m_stacks.useOf(one.stack)];
        bytes = clampedSum(bytes, one.size);
    }
    peak.byUse.assign(byUse.begin(), byUse.end());
    std::ranges::stable_sort(
        peak.byUse, [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<std::pair<double, const std::pair<StackId, std::int64_t>*>> order;
    for (const auto& [key, count] : groups)
        order.emplace_back(-static_cast<double>(count) * static_cast<double>(key.second), &key);
    std::ranges::stable_sort(order, [](const auto& a, const auto& b) { return a.first < b.first; });
    order.resize(std::min(order.size(), analysis::AllocatorRecord::kMostLive));
    peak.largest.clear();
    for (const auto& [bytes, key] : order)
        peak.largest.push_back({m_stacks.useOf(key->first), key->second, groups.at(*key),
            m_stacks.callsOf(key->first)});
}

void AllocatorHistory::takeOutOfMemory(const AllocatorEvent& event, std::optional<TimeNs> time) {
    ++m_record.outOfMemoryCount;
    if (m_record.outOfMemory.size() >= analysis::AllocatorRecord::kMostOutOfMemory)
        return;
    analysis::OutOfMemory one;
    one.time = time;
    one.requested = event.size;
    one.deviceFree = event.deviceFree;
    one.reserved = m_reserved.total();
    one.allocated = m_allocated;
    one.calls = m_stacks.callsOf(event.stack);
    // As it was then, so it still was when the snapshot was taken.
    if (m_at > m_lastChange && !m_segments.empty())
        countFinalPieces(one);
    else
        countPieces(one);
    m_record.outOfMemory.push_back(std::move(one));
}

void AllocatorHistory::countFinalPieces(analysis::OutOfMemory& one) const {
    one.reserved = 0;
    one.allocated = 0;
    for (const AllocatorSegment& segment : m_segments) {
        one.reserved = clampedSum(one.reserved, segment.size);
        for (const AllocatorBlock& block : segment.blocks) {
            if (block.isAllocated)
                one.allocated = clampedSum(one.allocated, block.size);
            if (block.isAllocated || block.isPending)
                continue;
            ++one.freePieces;
            one.largestFree = std::max(one.largestFree, block.size);
        }
    }
}

void AllocatorHistory::countPieces(analysis::OutOfMemory& one) const {
    std::vector<std::pair<std::int64_t, std::int64_t>> held; // begin, end
    held.reserve(m_alive.size() + m_pending.size());
    for (const AliveMap* map : {&m_alive, &m_pending}) {
        for (const auto& [address, alive] : *map)
            held.emplace_back(address, endOf(address, alive.held));
    }
    std::ranges::sort(held);
    auto at = held.begin();
    for (const auto& [begin, end] : m_reserved.all()) {
        std::int64_t from = begin;
        const auto piece = [&](std::int64_t to) {
            if (to <= from)
                return;
            ++one.freePieces;
            one.largestFree = std::max(one.largestFree, clampedDifference(to, from));
        };
        while (at != held.end() && at->second <= begin)
            ++at;
        for (; at != held.end() && at->first < end; ++at) {
            piece(at->first);
            from = std::max(from, at->second);
        }
        piece(end);
    }
}

} // namespace trainscope::importers::memorysnapshot
