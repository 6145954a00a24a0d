// Kernels of one iteration, the first rank of each stage, by pixel columns, on one clock.
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/traces/KernelCategory.h"
#include "core/analysis/traces/Pipeline.h"
#include "core/analysis/traces/RankClocks.h"
#include "core/figures/comparison/ComparisonLoad.h"
#include "core/model/Try.h"
#include "core/plot/timeline/SpanMix.h"
#include "core/plot/timeline/TraceClock.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

namespace trainscope::figures {

using namespace plot;

namespace {

constexpr int kTrackColumns = 1600;

class TrackReader {
public:
    TrackReader(const ComparisonContext& context, ComparisonTracks& tracks)
        : m_context(context)
        , m_tracks(tracks) { }

    Status read(std::size_t run) {
        m_tracks.ranges.push_back({{0}, {0}});
        m_tracks.iterations.push_back(-1);
        const auto& measured = *m_context.measured[run];
        if (!measured.traced)
            return {};
        ASSIGN_OR_RETURN(auto streams, streamsOf(measured.run));
        RETURN_IF_ERROR(findClocks(measured.run, run));
        const Status chosen = chooseRange(measured, streams, run);
        if (!chosen.hasValue() || m_tracks.ranges[run].isEmpty())
            return chosen;
        ASSIGN_OR_RETURN(const auto ranks, firstRanks(measured.run, streams));
        for (const auto& [stage, rank] : ranks) {
            if (m_context.isCancelled("Reading the kernels of one iteration"))
                return cancelled();
            ComparisonTracks::Row row{run, stage, rank, {}};
            for (const auto& track : streams) {
                RETURN_IF_ERROR(track.description.rank == rank
                        ? add(track, ownRange(m_shown, rank, m_tracks.ranges[run]), row)
                        : Status());
            }
            m_tracks.rows.push_back(std::move(row));
        }
        m_names.clear();
        return {};
    }

private:
    Result<std::vector<Track>> streamsOf(const Run& run) const {
        auto tracks = m_context.studies.store.tracks(run.id);
        if (tracks.hasValue())
            std::erase_if(tracks.value(), [](const Track& track) {
                return track.description.kind != TrackKind::Stream || track.count == 0;
            });
        return tracks;
    }

    // As the timeline does: ranks whose clocks are known to differ are put on one.
    Status findClocks(const Run& run, std::size_t place) {
        auto clocks = analysis::alignRanks(m_context.studies.of(run));
        if (!clocks.hasValue())
            return clocks.error();
        m_shown = {run.id, run.name, run.range.begin, 0, {}};
        if (clocks.value().agree)
            return {};
        addNote(m_tracks.notes, place,
            clocks.value().unaligned.empty()
                ? "the clocks of the ranks differ; their kernels are shown on one clock."
                : "the clocks of the ranks differ; those that could be matched are shown on one.");
        m_shown.clocks = std::make_shared<const analysis::RankClocks>(std::move(clocks).value());
        return {};
    }

    // The iteration asked for where it was traced, else the middle one of those that were; without
    // iterations the whole trace.
    Status chooseRange(
        const analysis::RunMeasures& measured, const std::vector<Track>& streams, std::size_t run) {
        const auto& covered = measured.traced->iterations;
        auto& range = m_tracks.ranges[run];
        if (!covered.empty()) {
            const bool isAsked = m_context.query.alignment == ComparisonAlignment::Iteration
                && std::find(covered.begin(), covered.end(), m_context.query.iteration)
                    != covered.end();
            const std::int64_t index
                = isAsked ? m_context.query.iteration : covered[covered.size() / 2];
            ASSIGN_OR_RETURN(range, rangeOf(measured, streams, index));
            m_tracks.iterations[run] = index;
        }
        if (!range.isEmpty())
            return {};
        m_tracks.iterations[run] = -1;
        if (!measured.capture.empty()) {
            range = measured.window.window;
            addNote(m_tracks.notes, run, "no traced iteration; the whole capture is shown.");
            return {};
        }
        for (const auto& track : streams) {
            const TimeRange shown = shownRange(m_shown, track.description.rank, track.range);
            range.begin = range.isEmpty() ? shown.begin : std::min(range.begin, shown.begin);
            range.end = std::max(range.end, shown.end);
        }
        addNote(m_tracks.notes, run, "no traced iteration; its whole trace is shown.");
        return {};
    }

    Result<TimeRange> rangeOf(const analysis::RunMeasures& measured,
        const std::vector<Track>& streams, std::int64_t index) const {
        if (!measured.capture.empty()) {
            // Other captures count from the same number.
            for (const auto& figures : measured.iterations) {
                if (figures.iteration.index == index)
                    return figures.iteration.range;
            }
            return TimeRange{{0}, {0}};
        }
        const auto all = analysis::iterationsOf(m_context.studies.of(measured.run));
        if (!all.hasValue())
            return all.error();
        // Marks of several clocks say less than those of the one that all are put on.
        int rank
            = m_shown.clocks ? m_shown.clocks->referenceRank : streams.front().description.rank;
        for (const auto& track : streams)
            rank = m_shown.clocks ? rank : std::min(rank, track.description.rank);
        const auto* ofRun = &all.value().iterations;
        const auto* ofRank = &all.value().of(rank);
        if (m_shown.clocks)
            std::swap(ofRun, ofRank);
        for (const auto* iterations : {ofRun, ofRank}) {
            for (const auto& iteration : *iterations) {
                if (iteration.index == index)
                    return iteration.range;
            }
        }
        return TimeRange{{0}, {0}};
    }

    // Stage → its lowest rank that was traced.
    Result<std::map<int, int>> firstRanks(const Run& run, const std::vector<Track>& streams) const {
        ASSIGN_OR_RETURN(const auto stages, analysis::stagesOf(m_context.studies.of(run)));
        std::map<int, int> first;
        for (const auto& track : streams) {
            const int rank = track.description.rank;
            int stage = 0;
            if (stages) {
                const auto found = stages->stageOf.find(rank);
                if (found == stages->stageOf.end())
                    continue;
                stage = found->second;
            }
            const auto [at, isNew] = first.try_emplace(stage, rank);
            if (!isNew)
                at->second = std::min(at->second, rank);
        }
        return first;
    }

    Status add(const Track& track, const TimeRange& range, ComparisonTracks::Row& row) {
        const DurationNs pixel{std::max<std::int64_t>(1, range.length().ns / kTrackColumns)};
        ASSIGN_OR_RETURN(
            const auto groups, m_context.studies.store.lodNodes(track.id, range, pixel));
        ASSIGN_OR_RETURN(
            const auto spans, m_context.studies.store.lodNodes(track.id, range, DurationNs{0}));
        const auto mixes = mixesOf(groups, spans, pixel);
        auto mix = mixes.begin();
        for (std::size_t i = 0; i < groups.size(); ++i) {
            const store::LodNode& group = groups[i];
            while (mix != mixes.end() && mix->group < i)
                ++mix;
            const bool isMixed = mix != mixes.end() && mix->group == i;
            const std::vector<SpanMix::Part> alone{{group.name, group.kind, 1.0F}};
            ASSIGN_OR_RETURN(const auto shares, sharesOf(isMixed ? mix->parts : alone));
            const auto seconds
                = [&](TimeNs time) { return static_cast<float>((time - range.begin).seconds()); };
            for (const auto& [category, share] : shares)
                row.pieces.push_back({std::max(seconds(group.range.begin), 0.0F),
                    std::min(seconds(group.range.end), seconds(range.end)),
                    group.busyFraction * share, category});
        }
        std::stable_sort(row.pieces.begin(), row.pieces.end(),
            [](const auto& a, const auto& b) { return a.begin < b.begin; });
        m_tracks.seconds = std::max(m_tracks.seconds, range.length().seconds());
        return {};
    }

    // Shares of the categories of kernels.
    Result<std::map<std::uint16_t, float>> sharesOf(const std::vector<SpanMix::Part>& parts) {
        std::map<std::uint16_t, float> shares;
        for (const auto& part : parts) {
            if (part.kind != SpanKind::Kernel)
                continue;
            ASSIGN_OR_RETURN(const auto category, categoryOf(part.name));
            shares[category] += part.share;
        }
        return shares;
    }

    Result<std::uint16_t> categoryOf(NameId id) {
        if (const auto known = m_names.find(id); known != m_names.end())
            return known->second;
        ASSIGN_OR_RETURN(const auto name, m_context.studies.store.name(id));
        const std::string key(analysis::KernelCategories::builtIn().categoryOf(name));
        auto& keys = m_tracks.categories;
        const auto at = std::find(keys.begin(), keys.end(), key);
        const auto index = static_cast<std::uint16_t>(at - keys.begin());
        if (at == keys.end()) {
            keys.push_back(key);
            m_tracks.categoryTitles.emplace_back(analysis::KernelCategories::label(key));
        }
        m_names[id] = index;
        return index;
    }

    const ComparisonContext& m_context;
    ComparisonTracks& m_tracks;
    ShownRun m_shown; // the run being read
    std::unordered_map<NameId, std::uint16_t> m_names; // the names in one run
};

} // namespace

Status addTracks(const ComparisonContext& context, ComparisonData& data) {
    ComparisonTracks tracks;
    tracks.stretched = context.query.stretched;
    TrackReader reader(context, tracks);
    for (std::size_t run = 0; run < context.measured.size(); ++run) {
        RETURN_IF_ERROR(reader.read(run));
    }
    if (!tracks.rows.empty())
        data.tracks = std::move(tracks);
    return {};
}

} // namespace trainscope::figures
