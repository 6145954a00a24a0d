#include "core/analysis/traces/PowerEdges.h"

#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/telemetry/UniformSeries.h"
#include "core/analysis/traces/KernelCategory.h"
#include "core/model/Metric.h"
#include "core/model/Try.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_set>

namespace trainscope::analysis {

namespace {

constexpr double kLeastSamples = 16.0; // power samples while the trace lasts
constexpr std::size_t kMostEdgeSteps = std::size_t{1} << 16U;
constexpr int kStepsPerSample = 4;
constexpr double kLeastCorrelation = 0.5;
constexpr double kWaitingWeight = 0.3; // a kernel of communication mostly waits
constexpr double kUsualAveraging = 1.0; // s, of sensors that average

struct RankSources {
    std::optional<Series> power;
    std::vector<Track> streams;
    std::optional<TimeRange> traced;
};

class LagFinder {
public:
    LagFinder(const store::Store& store, const Progress& progress)
        : m_store(store)
        , m_progress(progress) { }

    Result<TelemetryLags> find(const Run& run) {
        ASSIGN_OR_RETURN(const auto series, m_store.series(run.id));
        ASSIGN_OR_RETURN(const auto tracks, m_store.tracks(run.id));
        ASSIGN_OR_RETURN(const auto names, m_store.names(run.id));
        for (const auto& [id, text] : names) {
            if (KernelCategories::isCommunication(text))
                m_waiting.insert(id);
        }
        for (const auto& [rank, sources] : sourcesOf(series, tracks)) {
            if (m_progress && !m_progress({"Comparing power and kernels", 0, 0}))
                return cancelled();
            if (!sources.power || !sources.traced)
                continue;
            RETURN_IF_ERROR(compare(rank, sources));
        }
        return std::move(m_result);
    }

private:
    static std::map<int, RankSources> sourcesOf(
        const std::vector<Series>& series, const std::vector<Track>& tracks) {
        std::map<int, RankSources> result;
        for (const Series& power : gpuSeriesOf(gpuSeriesByRank(series), metric::kGpuPower))
            result[power.description.subject.rank].power = power;
        for (const Track& track : tracks) {
            if (track.description.kind != TrackKind::Stream || track.count == 0)
                continue;
            RankSources& sources = result[track.description.rank];
            sources.streams.push_back(track);
            auto& range = sources.traced;
            range = spanned(range.value_or(track.range), track.range);
        }
        return result;
    }

    Status compare(int rank, const RankSources& sources) {
        const Series& power = *sources.power;
        const double period = samplingPeriod(power).seconds();
        const double length = sources.traced->length().seconds();
        UniformSeries grid = gridOf({&power, 1}, kMostEdgeSteps);
        if (period <= 0.0 || grid.values.empty()) {
            m_result.unknown.push_back({rank, "Its power was recorded for no time at all."});
            return {};
        }
        if (length < kLeastSamples * period) {
            m_result.unknown.push_back({rank,
                "Its trace lasts for fewer than " + std::to_string(static_cast<int>(kLeastSamples))
                    + " samples of its power."});
            return {};
        }
        const std::int64_t finest = grid.step.ns / kStepsPerSample;
        const std::int64_t steps = power.range.length().ns / std::max<std::int64_t>(1, finest);
        if (finest > 0 && steps < static_cast<std::int64_t>(kMostEdgeSteps)) {
            grid.step = {finest};
            grid.values.assign(static_cast<std::size_t>(steps) + 1, 0.0);
        }
        ASSIGN_OR_RETURN(const auto watts, resample(m_store, power, grid));
        ASSIGN_OR_RETURN(const auto busy, busyOf(sources, grid.step));
        add(rank, power, grid, watts.values, busy, sources.traced->begin);
        return {};
    }

    void add(int rank, const Series& power, const UniformSeries& grid,
        const std::vector<double>& watts, const std::vector<double>& busy, TimeNs traceBegin) {
        const double step = grid.step.seconds();
        const double apart = (grid.begin - traceBegin).seconds();
        const double period = samplingPeriod(power).seconds();
        const PatternFit fit = fitPattern(busy, watts, apart / step, std::max(1.0, period / step));
        if (fit.correlation < kLeastCorrelation) {
            m_result.unknown.push_back({rank, "Its power does not follow its kernels anywhere."});
            return;
        }
        const bool averages = power.description.sensor == SensorKind::Averaged;
        TelemetryLag lag;
        lag.rank = rank;
        // A sample holds until the next, so what is drawn lies half a period late.
        lag.lagS = fit.lag * step + apart - period / 2.0;
        lag.errorS = fit.error * step + period / 2.0 + (averages ? kUsualAveraging / 2.0 : 0.0);
        lag.correlation = fit.correlation;
        lag.isAmbiguous = fit.isAmbiguous;
        m_result.ranks.push_back(lag);
    }

    // Share of each step with kernels on any stream.
    Result<std::vector<double>> busyOf(const RankSources& sources, DurationNs step) const {
        const TimeRange range = *sources.traced;
        const auto count = static_cast<std::size_t>(range.length().ns / step.ns + 1);
        std::vector<double> busy(std::min(count, kMostEdgeSteps), 0.0);
        for (const Track& track : sources.streams) {
            ASSIGN_OR_RETURN(const auto groups, m_store.lodNodes(track.id, range, step));
            for (const store::LodNode& group : groups) {
                if (group.depth == 0 && group.kind == SpanKind::Kernel)
                    addGroup(busy, group, range.begin, step);
            }
        }
        for (double& share : busy)
            share = std::min(share, 1.0);
        return busy;
    }

    void addGroup(std::vector<double>& busy, const store::LodNode& group, TimeNs begin,
        DurationNs step) const {
        const double width = static_cast<double>(step.ns);
        const double first = static_cast<double>((group.range.begin - begin).ns) / width;
        const double last = static_cast<double>((group.range.end - begin).ns) / width;
        const double weight = static_cast<double>(group.busyFraction)
            * (m_waiting.contains(group.name) ? kWaitingWeight : 1.0);
        for (auto i = static_cast<std::size_t>(std::max(0.0, first));
             i < busy.size() && static_cast<double>(i) < last; ++i) {
            const auto at = static_cast<double>(i);
            busy[i] += weight * std::max(0.0, std::min(last, at + 1.0) - std::max(first, at));
        }
    }

    const store::Store& m_store;
    const Progress& m_progress;
    std::unordered_set<NameId> m_waiting; // kernels of communication
    TelemetryLags m_result;
};

} // namespace

Result<TelemetryLags> telemetryLags(const RunStudy& study) {
    return LagFinder(study.store, study.progress).find(study.run);
}

} // namespace trainscope::analysis
