#include "core/figures/timeline/TimelineLoad.h"

#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/iterations/SteadyState.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/telemetry/Throttling.h"
#include "core/model/Metric.h"

#include <algorithm>
#include <map>
#include <utility>

namespace trainscope::figures {

namespace {

using GpuSeriesByRank = std::map<int, analysis::GpuSeries>;

Result<GpuSeriesByRank> gpuSeries(const store::Store& store, const Run& run) {
    const auto series = store.series(run.id);
    if (!series.hasValue())
        return series.error();
    GpuSeriesByRank gpus;
    std::vector<std::string> warnings; // the summary tells them
    for (const auto& [metric, group] : analysis::seriesByMetric(series.value(), warnings)) {
        for (const Series& one : group) {
            if (one.description.subject.kind == SubjectKind::Gpu && one.count > one.missing)
                gpus[one.description.subject.rank].emplace(metric, one);
        }
    }
    return gpus;
}

Status addThrottles(
    const store::Store& store, const Run& run, const Progress& progress, RunOverlay& overlay) {
    const auto gpus = gpuSeries(store, run);
    if (!gpus.hasValue())
        return gpus.error();
    const auto keepGoing = [&progress] {
        return !progress || progress({"Finding throttle episodes", 0, 0});
    };
    const auto found = analysis::scanThrottling(
        store, run, gpus.value(), kAllTime, run.range.length(), keepGoing);
    if (!found.hasValue())
        return found.error();
    if (!found.value())
        return {};
    for (const auto& [rank, series] : gpus.value())
        overlay.gpus
            += series.contains(metric::kSmClock) && series.contains(metric::kGpuUtilization) ? 1U
                                                                                             : 0U;
    for (const auto& [rank, episode] : found.value()->episodes)
        overlay.throttles.push_back(
            {rank, episode.range, analysis::toString(episode.cause), episode.lostSeconds});
    return {};
}

Status addIterations(
    const store::Store& store, const Run& run, const Progress& progress, RunOverlay& overlay) {
    auto found = analysis::iterationsOf(store, run, progress);
    if (!found.hasValue())
        return found.error();
    auto& iterations = found.value();
    const auto steady = analysis::steadyStateOf(store, run, iterations, progress);
    if (!steady.hasValue())
        return steady.error();
    for (const Iteration& iteration : iterations.iterations) {
        if (iteration.warmup)
            overlay.warmup.push_back(iteration.index);
    }
    std::sort(overlay.warmup.begin(), overlay.warmup.end());
    if (iterations.basis == analysis::IterationBasis::PowerPeriod)
        overlay.iterations = std::move(iterations.iterations);
    if (steady.value().settledFrom && run.range.begin < *steady.value().settledFrom)
        overlay.unsettled = TimeRange{run.range.begin, *steady.value().settledFrom};
    return {};
}

} // namespace

Result<RunOverlay> loadOverlay(
    const store::Store& store, const Run& run, const Progress& progress) {
    RunOverlay overlay;
    if (const Status status = addThrottles(store, run, progress, overlay); !status.hasValue())
        return status.error();
    if (const Status status = addIterations(store, run, progress, overlay); !status.hasValue())
        return status.error();
    return overlay;
}

} // namespace trainscope::figures
