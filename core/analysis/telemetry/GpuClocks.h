#pragma once
// SM clocks of a run's GPUs while they were traced, and what held them back. SI; times on each
// rank's own clock; 16 B a reading. One thread.

#include "core/analysis/statistics/SampleWalk.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/telemetry/Throttling.h"
#include "core/model/Try.h"

namespace trainscope::analysis {

class GpuClocks {
public:
    // Refers to the study.
    static Result<GpuClocks> open(const RunStudy& study) {
        GpuClocks clocks(study);
        ASSIGN_OR_RETURN(const auto tracks, study.store.tracks(study.run.id));
        ASSIGN_OR_RETURN(const auto series, study.store.series(study.run.id));
        std::map<int, TimeRange> traced;
        for (const Track& track : tracks) {
            TimeRange& all = traced.try_emplace(track.description.rank, kNoTime).first->second;
            all = track.count > 0 ? spanned(all, track.range) : all;
        }
        for (const Series& clock : gpuSeriesOf(gpuSeriesByRank(series), metric::kSmClock)) {
            if (const auto of = traced.find(clock.description.subject.rank); of != traced.end())
                RETURN_IF_ERROR(clocks.read(clock, of->second));
        }
        return clocks;
    }

    // Each reading holds until the next; absent where none does.
    [[nodiscard]] std::optional<double> meanHz(int rank, TimeRange range) const {
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

    // Cause of the longest episode of throttling in the range; Other without one.
    Result<ThrottleCause> causeIn(int rank, TimeRange range) {
        if (!m_episodes) {
            ASSIGN_OR_RETURN(auto found, throttlingOf(*m_study));
            m_episodes = found ? std::move(found->episodes) : std::vector<RankEpisode>();
        }
        std::array<std::int64_t, namesOf(ThrottleCause{}).size()> held{};
        for (const auto& [of, episode] : *m_episodes) {
            if (of == rank && episode.range.overlaps(range))
                held[static_cast<std::size_t>(episode.cause)]
                    += shared(episode.range, range).length().ns;
        }
        const auto most = std::ranges::max_element(held);
        return *most == 0 ? ThrottleCause::Other : static_cast<ThrottleCause>(most - held.begin());
    }

private:
    explicit GpuClocks(const RunStudy& study)
        : m_study(&study) { }
    // From the reading that holds at the begin to the first behind the end.
    Status read(const Series& clock, TimeRange traced) {
        ASSIGN_OR_RETURN(const auto before, m_study->store.lastBefore(clock.id, traced.begin));
        SampleCursor cursor(
            m_study->store, clock.id, {before ? before->time : traced.begin, kAllTime.end}, [this] {
                return !m_study->progress || m_study->progress({"Reading clocks", 0, 0});
            });
        RETURN_IF_ERROR(cursor.start());
        auto& readings = m_readings[clock.description.subject.rank];
        while (!cursor.atEnd() && (readings.empty() || readings.back().time < traced.end)) {
            readings.push_back({cursor.time(), cursor.value()});
            RETURN_IF_ERROR(cursor.next());
        }
        return {};
    }

    const RunStudy* m_study;
    std::map<int, std::vector<store::Sample>> m_readings; // by rank
    std::optional<std::vector<RankEpisode>> m_episodes; // once asked for
};

} // namespace trainscope::analysis
