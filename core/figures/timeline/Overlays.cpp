#include "core/analysis/RunStudy.h"
#include "core/figures/timeline/TimelineLoad.h"
#include "core/model/Try.h"

#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/iterations/SteadyState.h"
#include "core/analysis/replay/Replay.h"
#include "core/analysis/telemetry/AboveLimit.h"
#include "core/analysis/telemetry/Throttling.h"
#include "core/analysis/traces/CaptureWindows.h"
#include "core/analysis/traces/RankWindow.h"
#include "core/plot/timeline/TraceClock.h"

#include <algorithm>
#include <utility>

namespace trainscope::figures {

using namespace plot;

namespace {

Status addThrottles(const analysis::RunStudy& study, RunOverlay& overlay) {
    ASSIGN_OR_RETURN(const auto found, analysis::throttlingOf(study));
    if (!found)
        return {};
    overlay.gpus = found->gpus.size();
    overlay.isFromClocks = found->basis == analysis::ThrottleBasis::Clocks;
    for (const auto& [rank, episode] : found->episodes)
        overlay.throttles.push_back(
            {rank, episode.range, toString(episode.cause), episode.lostSeconds});
    return {};
}

// Adds the times at which any GPU is above its limit.
Status addAboveLimit(const analysis::RunStudy& study, RunOverlay& overlay) {
    ASSIGN_OR_RETURN(
        const auto gpus, analysis::aboveLimits(study, kAllTime, analysis::KeepSteps::Yes));
    std::vector<TimeRange> stays;
    for (const auto& gpu : gpus) {
        const auto own = analysis::staysAbove(gpu.steps);
        stays.insert(stays.end(), own.begin(), own.end());
    }
    std::ranges::sort(stays, {}, &TimeRange::begin);
    for (const TimeRange& stay : stays) {
        auto& all = overlay.aboveLimit;
        if (!all.empty() && stay.begin <= all.back().end)
            all.back().end = std::max(all.back().end, stay.end);
        else
            all.push_back(stay);
    }
    return {};
}

Status addIterations(const analysis::RunStudy& study, RunOverlay& overlay) {
    ASSIGN_OR_RETURN(auto found, analysis::iterationsOf(study));
    auto& iterations = found;
    ASSIGN_OR_RETURN(const auto steady, analysis::steadyStateOf(study));
    for (const Iteration& iteration : iterations.iterations) {
        if (iteration.warmup)
            overlay.warmup.push_back(iteration.index);
    }
    std::ranges::sort(overlay.warmup);
    if (iterations.basis == analysis::IterationBasis::PowerPeriod)
        overlay.iterations = std::move(iterations.iterations);
    if (steady.settledFrom && study.run.range.begin < *steady.settledFrom)
        overlay.unsettled = TimeRange{study.run.range.begin, *steady.settledFrom};
    return {};
}

} // namespace

Result<RunOverlay> loadOverlay(const analysis::RunStudy& study) {
    RunOverlay overlay;
    RETURN_IF_ERROR(addThrottles(study, overlay));
    RETURN_IF_ERROR(addAboveLimit(study, overlay));
    RETURN_IF_ERROR(addIterations(study, overlay));
    return overlay;
}

Result<std::vector<PathMark>> loadPath(const analysis::RunStudy& study) {
    ShownRun onOneClock;
    ASSIGN_OR_RETURN(onOneClock.clocks, analysis::differingClocks(study));
    ASSIGN_OR_RETURN(auto captures, study.store.captures(study.run.id));
    auto parts = analysis::partsByCapture(std::move(captures));
    if (parts.size() < 2)
        parts = {Capture()}; // all
    std::vector<PathMark> marks;
    Status failed;
    for (const Capture& part : parts) {
        const auto replay = analysis::replayOf(study, {part.name, {}, false, {}, true});
        if (!replay.hasValue() && replay.error().code != ErrorCode::NotFound)
            return replay.error();
        if (!replay.hasValue()) { // another may have one
            failed = replay.error();
            continue;
        }
        if (!marks.empty())
            marks.emplace_back(); // nothing leads from one capture to the next
        const analysis::StepGraph& graph = *replay.value().graph;
        for (const analysis::PathPiece& piece : replay.value().path.pieces) {
            const auto& track = graph.tracks[graph.operations[piece.operation].track];
            if (!piece.isDelay)
                marks.push_back(
                    {track.id, track.rank, ownRange(onOneClock, track.rank, piece.when)});
        }
    }
    if (marks.empty() && !failed.hasValue())
        return failed.error();
    return marks;
}

} // namespace trainscope::figures
