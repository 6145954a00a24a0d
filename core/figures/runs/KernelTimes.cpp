#include "core/figures/runs/KernelTimes.h"

#include "core/analysis/traces/Pipeline.h"
#include "core/analysis/traces/TraceBreakdown.h"
#include "core/model/Try.h"

#include <algorithm>

namespace trainscope::figures {

using namespace plot;

namespace {

KernelTimes secondsOf(const analysis::TimeBreakdown& window) {
    KernelTimes times;
    for (const auto& [category, time] : window.categories)
        times[category] = time.time.seconds();
    if (window.copy.ns > 0)
        times["copy"] = window.copy.seconds();
    return times;
}

KernelTimes perIteration(const analysis::DeviceBreakdown& device) {
    std::vector<KernelTimes> each;
    for (const auto& iteration : device.iterations) {
        if (!iteration.warmup && iteration.busy.ns > 0)
            each.push_back(secondsOf(iteration));
    }
    std::vector<const KernelTimes*> pointers;
    for (const auto& times : each)
        pointers.push_back(&times);
    return meanOf(pointers);
}

Result<TracedRun> traceOf(const FigureContext& context, const FigureSubject& subject,
    const analysis::KernelCategories& categories) {
    ASSIGN_OR_RETURN(const auto iterations, context.studies.store.iterations(subject.run.id));
    ASSIGN_OR_RETURN(const auto devices,
        analysis::traceBreakdown(
            context.studies.of(subject.run), categories, kAllTime, {iterations, std::nullopt}));
    ASSIGN_OR_RETURN(const auto told, analysis::stagesOf(context.studies.of(subject.run)));
    const auto& stages = told;
    TracedRun traced{subject, {}};
    for (const auto& device : devices) {
        if (device.busy.ns == 0)
            continue;
        RankTimes times{device.rank, std::nullopt, secondsOf(device), perIteration(device)};
        if (stages && stages->stageOf.contains(device.rank))
            times.stage = stages->stageOf.at(device.rank);
        traced.ranks.push_back(std::move(times));
    }
    return traced;
}

bool hasTrace(const store::Store& store, RunId run) {
    const auto tracks = store.tracks(run);
    return tracks.hasValue()
        && std::any_of(tracks.value().begin(), tracks.value().end(), [](const Track& track) {
               return track.description.kind == TrackKind::Stream && track.count > 0;
           });
}

} // namespace

KernelTimes meanOf(const std::vector<const KernelTimes*>& all) {
    KernelTimes mean;
    for (const KernelTimes* times : all) {
        for (const auto& [category, seconds] : *times)
            mean[category] += seconds / static_cast<double>(all.size());
    }
    return mean;
}

Result<std::vector<TracedRun>> readTraces(
    const FigureContext& context, const std::vector<FigureSubject>& subjects) {
    ASSIGN_OR_RETURN(const auto categories,
        analysis::KernelCategories::fromChoice(
            context.query.categories.empty() ? "default" : context.query.categories));
    std::vector<TracedRun> traced;
    for (const auto& subject : subjects) {
        if (!hasTrace(context.studies.store, subject.run.id))
            continue;
        ASSIGN_OR_RETURN(auto trace, traceOf(context, subject, categories));
        if (!trace.ranks.empty())
            traced.push_back(std::move(trace));
    }
    return traced;
}

} // namespace trainscope::figures
