#include "core/analysis/telemetry/GpuClocks.h"

#include "core/analysis/statistics/Means.h"
#include "core/analysis/statistics/SampleWalk.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/model/Metric.h"
#include "core/model/Try.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace trainscope::analysis {

Result<GpuClocks> GpuClocks::open(const RunStudy& study) {
    GpuClocks clocks(study);
    ASSIGN_OR_RETURN(const auto tracks, study.store.tracks(study.run.id));
    ASSIGN_OR_RETURN(const auto series, study.store.series(study.run.id));
    std::map<int, TimeRange> traced;
    for (const Track& track : tracks) {
        if (track.count > 0) {
            TimeRange& all = traced.try_emplace(track.description.rank, kNoTime).first->second;
            all = spanned(all, track.range);
        }
    }
    for (const auto& [rank, gpu] : gpuSeriesByRank(series)) {
        const auto clock = gpu.find(metric::kSmClock);
        if (clock != gpu.end() && traced.contains(rank))
            RETURN_IF_ERROR(clocks.read(rank, clock->second.id, traced.at(rank)));
    }
    return clocks;
}

// From the reading that holds at the begin to the first behind the end.
Status GpuClocks::read(int rank, SeriesId series, TimeRange traced) {
    ASSIGN_OR_RETURN(const auto before, m_study->store.lastBefore(series, traced.begin));
    SampleCursor cursor(
        m_study->store, series, {before ? before->time : traced.begin, kAllTime.end}, [this] {
            return !m_study->progress || m_study->progress({"Reading clocks", 0, 0});
        });
    RETURN_IF_ERROR(cursor.start());
    auto& readings = m_readings[rank];
    while (!cursor.atEnd() && (readings.empty() || readings.back().time < traced.end)) {
        readings.push_back({cursor.time(), cursor.value()});
        RETURN_IF_ERROR(cursor.next());
    }
    return {};
}

std::optional<double> GpuClocks::meanHz(int rank, TimeRange range) const {
    const auto found = m_readings.find(rank);
    if (found == m_readings.end() || found->second.empty())
        return std::nullopt;
    const auto& readings = found->second;
    auto at = std::ranges::upper_bound(readings, range.begin, {}, &store::Sample::time);
    if (at != readings.begin())
        --at;
    TimeSum sum;
    for (; at + 1 != readings.end() && at->time < range.end; ++at) {
        const TimeRange part = shared({at->time, (at + 1)->time}, range);
        if (!part.isEmpty() && !std::isnan(at->value))
            sum.add(at->value, part.length());
    }
    return sum.mean();
}

Status GpuClocks::findEpisodes() {
    ASSIGN_OR_RETURN(const auto throttling, throttlingOf(*m_study));
    m_episodes.emplace();
    for (const RankEpisode& one : throttling ? throttling->episodes : std::vector<RankEpisode>())
        (*m_episodes)[one.rank].push_back(one.episode);
    return {};
}

Result<ThrottleCause> GpuClocks::causeIn(int rank, TimeRange range) {
    if (!m_episodes)
        RETURN_IF_ERROR(findEpisodes());
    const auto& episodes = (*m_episodes)[rank];
    std::array<std::int64_t, namesOf(ThrottleCause{}).size()> held{};
    auto at = std::ranges::upper_bound(
        episodes, range.begin, {}, [](const ThrottleEpisode& one) { return one.range.end; });
    for (; at != episodes.end() && at->range.begin < range.end; ++at)
        held[static_cast<std::size_t>(at->cause)] += shared(at->range, range).length().ns;
    const auto most = std::ranges::max_element(held);
    return *most == 0 ? ThrottleCause::Other : static_cast<ThrottleCause>(most - held.begin());
}

} // namespace trainscope::analysis
