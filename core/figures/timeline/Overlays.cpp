#include "core/figures/timeline/TimelineLoad.h"
#include "core/model/Try.h"

#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/iterations/SteadyState.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/telemetry/AboveLimit.h"
#include "core/analysis/telemetry/Throttling.h"
#include "core/model/Metric.h"

#include <algorithm>
#include <map>
#include <utility>

namespace trainscope::figures {

namespace {

using GpuSeriesByRank = std::map<int, analysis::GpuSeries>;

Result<GpuSeriesByRank> gpuSeries(const store::Store& store, const Run& run) {
    ASSIGN_OR_RETURN(const auto series, store.series(run.id));
    GpuSeriesByRank gpus;
    std::vector<std::string> warnings; // the summary tells them
    for (const auto& [metric, group] : analysis::seriesByMetric(series, warnings)) {
        for (const Series& one : group) {
            if (one.description.subject.kind == SubjectKind::Gpu && one.count > one.missing)
                gpus[one.description.subject.rank].emplace(metric, one);
        }
    }
    return gpus;
}

Status addThrottles(
    const store::Store& store, const Run& run, const Progress& progress, RunOverlay& overlay) {
    ASSIGN_OR_RETURN(const auto gpus, gpuSeries(store, run));
    const auto keepGoing = [&progress] {
        return !progress || progress({"Finding throttle episodes", 0, 0});
    };
    ASSIGN_OR_RETURN(const auto found,
        analysis::scanThrottling(store, run, gpus, kAllTime, run.range.length(), keepGoing));
    if (!found)
        return {};
    for (const auto& [rank, series] : gpus)
        overlay.gpus
            += series.contains(metric::kSmClock) && series.contains(metric::kGpuUtilization) ? 1U
                                                                                             : 0U;
    for (const auto& [rank, episode] : found->episodes)
        overlay.throttles.push_back(
            {rank, episode.range, analysis::toString(episode.cause), episode.lostSeconds});
    return {};
}

// Adds the times at which any GPU is above its limit.
Status addAboveLimit(
    const store::Store& store, const Run& run, const Progress& progress, RunOverlay& overlay) {
    ASSIGN_OR_RETURN(const auto gpus,
        analysis::aboveLimits(store, run, kAllTime, analysis::KeepSteps::Yes, progress));
    std::vector<TimeRange> stays;
    for (const auto& gpu : gpus) {
        const auto own = analysis::staysAbove(gpu.steps);
        stays.insert(stays.end(), own.begin(), own.end());
    }
    std::sort(stays.begin(), stays.end(),
        [](const TimeRange& a, const TimeRange& b) { return a.begin < b.begin; });
    for (const TimeRange& stay : stays) {
        auto& all = overlay.aboveLimit;
        if (!all.empty() && stay.begin <= all.back().end)
            all.back().end = std::max(all.back().end, stay.end);
        else
            all.push_back(stay);
    }
    return {};
}

Status addIterations(
    const store::Store& store, const Run& run, const Progress& progress, RunOverlay& overlay) {
    ASSIGN_OR_RETURN(auto found, analysis::iterationsOf(store, run, progress));
    auto& iterations = found;
    ASSIGN_OR_RETURN(const auto steady, analysis::steadyStateOf(store, run, iterations, progress));
    for (const Iteration& iteration : iterations.iterations) {
        if (iteration.warmup)
            overlay.warmup.push_back(iteration.index);
    }
    std::sort(overlay.warmup.begin(), overlay.warmup.end());
    if (iterations.basis == analysis::IterationBasis::PowerPeriod)
        overlay.iterations = std::move(iterations.iterations);
    if (steady.settledFrom && run.range.begin < *steady.settledFrom)
        overlay.unsettled = TimeRange{run.range.begin, *steady.settledFrom};
    return {};
}

} // namespace

Result<RunOverlay> loadOverlay(
    const store::Store& store, const Run& run, const Progress& progress) {
    RunOverlay overlay;
    RETURN_IF_ERROR(addThrottles(store, run, progress, overlay));
    RETURN_IF_ERROR(addAboveLimit(store, run, progress, overlay));
    RETURN_IF_ERROR(addIterations(store, run, progress, overlay));
    return overlay;
}

} // namespace trainscope::figures
