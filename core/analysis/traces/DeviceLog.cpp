#include "core/analysis/traces/DeviceLog.h"

#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/traces/DevicePass.h"
#include "core/model/Try.h"

namespace trainscope::analysis {

namespace {

// A launch takes some microseconds to reach an idle device: the host was late until then.
constexpr DurationNs kLaunchLatency{20'000};

} // namespace

void DeviceLog::mark(DeviceState state, TimeNs until) {
    if (until <= m_now)
        return;
    if (m_stretches.empty() || m_stretches.back().state != state)
        m_stretches.push_back({m_now, state});
    m_now = until;
}

void DeviceLog::runUntil(TimeNs until) {
    mark(DeviceState::Compute, std::min(until, m_computeUntil));
    mark(DeviceState::Communication, std::min(until, m_communicationUntil));
    mark(DeviceState::Copy, std::min(until, m_copyUntil));
}

Status DeviceLog::work(const DeviceWork& work) {
    const TimeNs start = work.span.start;
    if (start < m_from)
        return {};
    runUntil(start);
    if (!work.launch) {
        mark(DeviceState::Idle, start);
    } else {
        const TimeNs launched = work.launch->call.begin;
        const bool isAtOnce = launched > m_now && start - launched <= kLaunchLatency;
        mark(DeviceState::HostLate, isAtOnce ? start : std::min(start, launched));
        mark(DeviceState::Stalled, start);
    }
    const TimeNs end = start + work.span.duration;
    if (work.kernel == nullptr) {
        m_copyUntil = std::max(m_copyUntil, end);
    } else if (work.kernel->isCommunication) {
        m_communicationUntil = std::max(m_communicationUntil, end);
    } else {
        m_computeUntil = std::max(m_computeUntil, end);
        m_kernels.push_back({start, work.span.duration, work.span.name});
    }
    return {};
}

void DeviceLog::forgetBefore(TimeNs begin) {
    const auto stretch = std::ranges::upper_bound(m_stretches, begin, {}, &Stretch::begin);
    if (stretch != m_stretches.begin())
        m_stretches.erase(m_stretches.begin(), stretch - 1);
    const auto kernel = std::ranges::lower_bound(m_kernels, begin, {}, &Kernel::start);
    m_kernels.erase(m_kernels.begin(), kernel);
}

DeviceTimes DeviceLog::timesIn(TimeRange range) const {
    DeviceTimes times;
    auto at = std::ranges::upper_bound(m_stretches, range.begin, {}, &Stretch::begin);
    if (at != m_stretches.begin())
        --at;
    for (; at != m_stretches.end() && at->begin < range.end; ++at) {
        const TimeNs end = at + 1 == m_stretches.end() ? m_now : (at + 1)->begin;
        const TimeRange part = shared({at->begin, end}, range);
        times[at->state] += std::max<std::int64_t>(part.length().ns, 0);
    }
    return times;
}

Result<DeviceLogs> DeviceLogs::open(
    const RunStudy& study, const RankClocks& clocks, std::int64_t spansPerWindow) {
    DeviceLogs logs(study);
    ASSIGN_OR_RETURN(const auto devices, tracedDevices(study));
    for (const DeviceTracks& device : devices)
        logs.addRank(device, clocks);
    for (auto& [rank, one] : logs.m_ranks)
        one.log.beginAt(one.recordedFrom);
    logs.chooseWindows(spansPerWindow);
    return logs;
}

void DeviceLogs::addRank(const DeviceTracks& device, const RankClocks& clocks) {
    const RankClock* const clock = clocks.find(device.rank);
    if (clock == nullptr)
        return;
    const auto [at, isNew] = m_ranks.try_emplace(device.rank);
    Rank& rank = at->second;
    if (isNew) {
        rank.tracks = device;
        rank.clock = clock;
        rank.recordedFrom = device.extent.begin;
        for (const Track& thread : device.threads) {
            if (thread.count > 0)
                rank.recordedFrom = std::min(rank.recordedFrom, thread.range.begin);
        }
        return;
    }
    DeviceTracks& all = rank.tracks;
    all.extent = spanned(all.extent, device.extent);
    all.streams.insert(all.streams.end(), device.streams.begin(), device.streams.end());
    all.annotations.insert(
        all.annotations.end(), device.annotations.begin(), device.annotations.end());
    rank.recordedFrom = std::min(rank.recordedFrom, device.extent.begin);
}

void DeviceLogs::chooseWindows(std::int64_t spansPerWindow) {
    std::int64_t spans = 0;
    TimeRange all = kNoTime;
    for (const auto& [id, rank] : m_ranks) {
        for (const Track& stream : rank.tracks.streams)
            spans += stream.count;
        all = spanned(
            all, rank.clock->onReference(TimeRange{rank.recordedFrom, rank.tracks.extent.end}));
    }
    if (m_ranks.empty() || all.isEmpty())
        return;
    const std::int64_t count = spans / spansPerWindow + 1;
    const DurationNs step{all.length().ns / count + 1};
    for (TimeNs begin = all.begin; begin < all.end; begin = begin + step)
        m_windows.push_back({begin, begin + step});
}

Status DeviceLogs::readTo(TimeNs time) {
    while (m_read < m_windows.size() && m_windows[m_read].begin <= time)
        RETURN_IF_ERROR(readNext());
    return {};
}

Status DeviceLogs::readNext() {
    const TimeRange window = m_windows[m_read];
    std::vector<std::pair<int, Rank*>> ranks;
    for (auto& [id, rank] : m_ranks)
        ranks.emplace_back(id, &rank);
    // Nobody else touches the log of a rank meanwhile.
    const auto read = [&](const store::Store& store, const std::pair<int, Rank*>& one,
                          const Progress& progress) -> Result<bool> {
        const auto& [id, rank] = one;
        const TimeRange range = m_windows.size() == 1 ? kAllTime : local(id, window);
        if (m_read > 1)
            rank->log.forgetBefore(local(id, m_windows[m_read - 1]).begin);
        if (m_read > 0)
            rank->log.continueAt(range.begin);
        RETURN_IF_ERROR(DeviceReading{store, rank->tracks, progress}.walk(range, rank->log));
        rank->log.runUntil(range.end);
        return true;
    };
    const auto take = [](const std::pair<int, Rank*>&, bool) { return Status(); };
    RETURN_IF_ERROR(forEachPart(*m_study, "Following launches", ranks, read, take));
    ++m_read;
    return {};
}

const DeviceLog* DeviceLogs::find(int rank) const {
    const auto found = m_ranks.find(rank);
    return found == m_ranks.end() ? nullptr : &found->second.log;
}

TimeNs DeviceLogs::recordedFrom(int rank) const {
    const auto found = m_ranks.find(rank);
    if (found == m_ranks.end())
        return kAllTime.begin;
    return found->second.clock->onReference(found->second.recordedFrom);
}

TimeRange DeviceLogs::local(int rank, TimeRange range) const {
    const auto found = m_ranks.find(rank);
    if (found == m_ranks.end())
        return range;
    return found->second.clock->toLocal(range);
}

} // namespace trainscope::analysis
