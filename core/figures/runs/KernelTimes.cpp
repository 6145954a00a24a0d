#include "core/figures/runs/KernelTimes.h"

#include "core/analysis/traces/CaptureWindows.h"
#include "core/analysis/traces/DeviceTraces.h"
#include "core/analysis/traces/Pipeline.h"
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

// The rank times of one run, in any window of it.
class TraceOfRun {
public:
    TraceOfRun(const analysis::RunStudy& study, const analysis::KernelCategories& categories)
        : m_study(study)
        , m_categories(categories) { }

    Status read() {
        ASSIGN_OR_RETURN(m_iterations, m_study.store.iterations(m_study.run.id));
        ASSIGN_OR_RETURN(m_stages, analysis::stagesOf(m_study));
        return {};
    }

    [[nodiscard]] Result<std::vector<RankTimes>> ranksIn(TimeRange window) const {
        ASSIGN_OR_RETURN(const auto devices,
            analysis::traceBreakdown(m_study, m_categories, window, {m_iterations, std::nullopt}));
        std::vector<RankTimes> ranks;
        for (const auto& device : devices) {
            if (device.busy.ns == 0)
                continue;
            RankTimes times{device.rank, std::nullopt, secondsOf(device), perIteration(device)};
            if (m_stages && m_stages->stageOf.contains(device.rank))
                times.stage = m_stages->stageOf.at(device.rank);
            ranks.push_back(std::move(times));
        }
        return ranks;
    }

    [[nodiscard]] Result<std::vector<CaptureTimes>> captures() const {
        ASSIGN_OR_RETURN(auto all, m_study.store.captures(m_study.run.id));
        const auto parts = analysis::partsByCapture(std::move(all));
        std::vector<CaptureTimes> named;
        if (parts.size() < 2)
            return named;
        for (const Capture& part : parts) {
            named.push_back({part.name, {}});
            ASSIGN_OR_RETURN(named.back().ranks, ranksIn(part.range));
        }
        return named;
    }

private:
    const analysis::RunStudy& m_study;
    const analysis::KernelCategories& m_categories;
    std::vector<Iteration> m_iterations;
    std::optional<analysis::StageMap> m_stages;
};

Result<TracedRun> traceOf(const FigureContext& context, const FigureSubject& subject,
    const analysis::KernelCategories& categories, bool withCaptures) {
    TraceOfRun trace(context.studies.of(subject.run), categories);
    RETURN_IF_ERROR(trace.read());
    TracedRun traced{subject, {}, {}};
    ASSIGN_OR_RETURN(traced.ranks, trace.ranksIn(kAllTime));
    if (withCaptures && !traced.ranks.empty()) {
        ASSIGN_OR_RETURN(traced.captures, trace.captures());
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
    const FigureContext& context, const std::vector<FigureSubject>& subjects, bool withCaptures) {
    ASSIGN_OR_RETURN(const auto categories,
        analysis::KernelCategories::fromChoice(
            context.query.categories.empty() ? "default" : context.query.categories));
    std::vector<TracedRun> traced;
    for (const auto& subject : subjects) {
        if (!hasTrace(context.studies.store, subject.run.id))
            continue;
        ASSIGN_OR_RETURN(auto trace, traceOf(context, subject, categories, withCaptures));
        if (!trace.ranks.empty())
            traced.push_back(std::move(trace));
    }
    return traced;
}

} // namespace trainscope::figures
