// Kernels of one iteration, the first rank of each stage, by pixel columns; and the kernels that
// take longest.
#include "core/analysis/KernelCategory.h"
#include "core/analysis/TraceBreakdown.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/phases/StageMap.h"
#include "core/plot/comparison/ComparisonLoaders.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

namespace trainscope::plot {

namespace {

constexpr int kColumns = 1600;
constexpr std::size_t kMostKept = 100;

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
        auto streams = streamsOf(measured.run);
        if (!streams.hasValue())
            return streams.error();
        const Status chosen = chooseRange(measured, streams.value(), run);
        if (!chosen.hasValue() || m_tracks.ranges[run].isEmpty())
            return chosen;
        const auto ranks = firstRanks(measured.run, streams.value());
        if (!ranks.hasValue())
            return ranks.error();
        for (const auto& [stage, rank] : ranks.value()) {
            if (m_context.isCancelled("Reading the kernels of one iteration"))
                return cancelled();
            ComparisonTracks::Row row{run, stage, rank, {}};
            for (const auto& track : streams.value()) {
                const Status added = track.description.rank == rank
                    ? add(track, m_tracks.ranges[run], row)
                    : Status();
                if (!added.hasValue())
                    return added;
            }
            m_tracks.rows.push_back(std::move(row));
        }
        m_names.clear();
        return {};
    }

private:
    Result<std::vector<Track>> streamsOf(const Run& run) const {
        auto tracks = m_context.store.tracks(run.id);
        if (tracks.hasValue())
            std::erase_if(tracks.value(), [](const Track& track) {
                return track.description.kind != TrackKind::Stream || track.count == 0;
            });
        return tracks;
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
            const auto found = rangeOf(measured, streams, index);
            if (!found.hasValue())
                return found.error();
            range = found.value();
            m_tracks.iterations[run] = index;
        }
        if (!range.isEmpty())
            return {};
        m_tracks.iterations[run] = -1;
        for (const auto& track : streams) {
            range.begin
                = range.isEmpty() ? track.range.begin : std::min(range.begin, track.range.begin);
            range.end = std::max(range.end, track.range.end);
        }
        m_tracks.notes.push_back(fmt::format(
            "{} has no traced iteration; its whole trace is shown.", static_cast<char>('A' + run)));
        return {};
    }

    Result<TimeRange> rangeOf(const analysis::RunMeasures& measured,
        const std::vector<Track>& streams, std::int64_t index) const {
        const auto all = analysis::iterationsOf(m_context.store, measured.run, m_context.progress);
        if (!all.hasValue())
            return all.error();
        int lowest = streams.empty() ? -1 : streams.front().description.rank;
        for (const auto& track : streams)
            lowest = std::min(lowest, track.description.rank);
        for (const auto* iterations : {&all.value().iterations, &all.value().of(lowest)}) {
            for (const auto& iteration : *iterations) {
                if (iteration.index == index)
                    return iteration.range;
            }
        }
        return TimeRange{{0}, {0}};
    }

    // Stage → its lowest rank that was traced.
    Result<std::map<int, int>> firstRanks(const Run& run, const std::vector<Track>& streams) const {
        const auto stages = analysis::stagesOf(m_context.store, run, m_context.progress);
        if (!stages.hasValue())
            return stages.error();
        std::map<int, int> first;
        for (const auto& track : streams) {
            const int rank = track.description.rank;
            int stage = 0;
            if (stages.value()) {
                const auto found = stages.value()->stageOf.find(rank);
                if (found == stages.value()->stageOf.end())
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
        const DurationNs pixel{std::max<std::int64_t>(1, range.length().ns / kColumns)};
        const auto groups = m_context.store.spanGroups(track.id, range, pixel);
        if (!groups.hasValue())
            return groups.error();
        for (const auto& group : groups.value()) {
            if (group.kind != SpanKind::Kernel)
                continue;
            const auto category = categoryOf(group.name);
            if (!category.hasValue())
                return category.error();
            const auto seconds
                = [&](TimeNs time) { return static_cast<float>((time - range.begin).seconds()); };
            row.pieces.push_back({std::max(seconds(group.range.begin), 0.0F),
                std::min(seconds(group.range.end), seconds(range.end)), group.busyFraction,
                category.value()});
        }
        std::stable_sort(row.pieces.begin(), row.pieces.end(),
            [](const auto& a, const auto& b) { return a.begin < b.begin; });
        m_tracks.seconds = std::max(m_tracks.seconds, range.length().seconds());
        return {};
    }

    Result<std::uint16_t> categoryOf(NameId id) {
        if (const auto known = m_names.find(id); known != m_names.end())
            return known->second;
        const auto name = m_context.store.name(id);
        if (!name.hasValue())
            return name.error();
        const std::string key(analysis::KernelCategories::builtIn().categoryOf(name.value()));
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
    std::unordered_map<NameId, std::uint16_t> m_names; // of one run
};

// From the first to the last iteration that the trace covers; everything where that is not known.
TimeRange coveredRange(const analysis::RunMeasures& measured) {
    const auto& covered = measured.traced->iterations;
    std::optional<TimeRange> range;
    std::size_t found = 0;
    for (const auto& figures : measured.iterations) {
        if (std::find(covered.begin(), covered.end(), figures.iteration.index) == covered.end())
            continue;
        ++found;
        range = range ? TimeRange{range->begin, figures.iteration.range.end}
                      : figures.iteration.range;
    }
    return range && found == covered.size() ? *range : kAllTime;
}

using KernelSeconds = std::map<std::string, std::pair<std::string, double>>; // name → category, s

// In a step: the share of the traced time × the step.
Result<KernelSeconds> kernelsOf(
    const ComparisonContext& context, const analysis::RunMeasures& measured) {
    const auto devices = analysis::traceBreakdown(context.store, measured.run,
        analysis::KernelCategories::builtIn(), coveredRange(measured), {}, context.progress);
    if (!devices.hasValue())
        return devices.error();
    KernelSeconds kernels;
    double traced = 0.0;
    for (const auto& device : devices.value())
        traced += device.kernelCount > 0 ? device.window.length().seconds() : 0.0;
    if (!(traced > 0.0))
        return kernels;
    const double perTraced = measured.traced->all.seconds / traced;
    for (const auto& device : devices.value()) {
        for (const auto& kernel : device.kernels) {
            auto& entry = kernels[kernel.name];
            entry.first = kernel.category;
            entry.second += kernel.time.seconds() * perTraced;
        }
    }
    return kernels;
}

} // namespace

Status addTracks(const ComparisonContext& context, ComparisonData& data) {
    ComparisonTracks tracks;
    TrackReader reader(context, tracks);
    for (std::size_t run = 0; run < context.measured.size(); ++run) {
        const Status read = reader.read(run);
        if (!read.hasValue())
            return read;
    }
    if (!tracks.rows.empty())
        data.tracks = std::move(tracks);
    return {};
}

Status addKernels(const ComparisonContext& context, ComparisonData& data) {
    std::map<std::string, ComparisonKernel> all;
    for (std::size_t run = 0; run < context.measured.size(); ++run) {
        if (!context.measured[run]->traced)
            continue;
        const auto kernels = kernelsOf(context, *context.measured[run]);
        if (!kernels.hasValue())
            return kernels.error();
        for (const auto& [name, entry] : kernels.value()) {
            auto& kernel = all[name];
            kernel.name = name;
            kernel.category = entry.first;
            kernel.seconds.resize(context.measured.size());
            kernel.seconds[run] = entry.second;
        }
    }
    const auto longest = [](const ComparisonKernel& kernel) {
        double most = 0.0;
        for (const auto& seconds : kernel.seconds)
            most = std::max(most, seconds.value_or(0.0));
        return most;
    };
    for (auto& [name, kernel] : all)
        data.kernels.push_back(std::move(kernel));
    std::stable_sort(data.kernels.begin(), data.kernels.end(),
        [&](const auto& a, const auto& b) { return longest(a) > longest(b); });
    if (data.kernels.size() > kMostKept)
        data.kernels.resize(kMostKept);
    return {};
}

} // namespace trainscope::plot
