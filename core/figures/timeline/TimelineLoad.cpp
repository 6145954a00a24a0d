#include "core/figures/timeline/TimelineLoad.h"

#include "core/analysis/RunStudy.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/iterations/SteadyState.h"
#include "core/analysis/replay/Replay.h"
#include "core/analysis/telemetry/AboveLimit.h"
#include "core/analysis/telemetry/Throttling.h"
#include "core/analysis/traces/CaptureIterations.h"
#include "core/analysis/traces/KernelCategory.h"
#include "core/analysis/traces/TraceWindow.h"
#include "core/figures/timeline/DerivedLane.h"
#include "core/figures/timeline/LaneLoad.h"
#include "core/model/Try.h"
#include "core/plot/timeline/SpanMix.h"
#include "core/plot/timeline/TraceClock.h"

#include <atomic>

namespace trainscope::figures {

using namespace plot;

namespace {

bool showsSpans(LaneStyle style) {
    return style == LaneStyle::Kernels || style == LaneStyle::Thread;
}

std::string categoryOf(SpanKind kind, const std::string& name) {
    if (kind == SpanKind::Copy || kind == SpanKind::Set)
        return "copy";
    if (kind != SpanKind::Kernel)
        return {};
    return std::string(analysis::KernelCategories::builtIn().categoryOf(name));
}

Status resolveName(const store::Store& store, TimelineData& data, NameId id, SpanKind kind) {
    if (!id.isValid() || data.names.contains(id))
        return {};
    ASSIGN_OR_RETURN(auto name, store.name(id));
    std::string category = categoryOf(kind, name);
    data.names.emplace(id, TimelineData::Name{std::move(name), std::move(category)});
    return {};
}

// Only the names that are seen: a trace has tens of thousands.
Status resolveNames(
    const store::Store& store, TimelineData& data, const std::function<bool()>& isCancelled) {
    for (const auto& lane : data.lanes) {
        for (const auto& track : lane.spans) {
            if (isCancelled && isCancelled())
                return cancelled();
            for (const auto& group : track.spans)
                RETURN_IF_ERROR(resolveName(store, data, group.name, group.kind));
            for (const auto& mix : track.mixes) {
                for (const auto& part : mix.parts)
                    RETURN_IF_ERROR(resolveName(store, data, part.name, part.kind));
            }
        }
    }
    return {};
}

constexpr std::int64_t kHolePeriods = 10;
// Drivers count energy on every 20 to 100 ms: two readings closer than that differ by nothing, or
// by twice of what flowed.
constexpr DurationNs kEnergyStretch{1'000'000'000};
constexpr double kNoRate = std::numeric_limits<double>::quiet_NaN();

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

bool overlapInTime(const std::vector<Run>& runs) {
    std::vector<TimeRange> ranges;
    for (const Run& run : runs) {
        if (run.kind != RunKind::Measured || run.simulated || run.range.isEmpty())
            return false;
        ranges.push_back(run.range);
    }
    std::ranges::sort(ranges, {}, &TimeRange::begin);
    for (std::size_t i = 1; i < ranges.size(); ++i) {
        if (ranges[i].begin >= ranges[i - 1].end)
            return false;
        ranges[i].end = std::max(ranges[i].end, ranges[i - 1].end);
    }
    return ranges.size() > 1;
}

Result<TimelineData> loadTimeline(const store::Store& store, const Catalogue& catalogue,
    const std::vector<ShownRun>& runs, const Arrangement& arrangement, ViewWindow window,
    int columns, const std::function<bool()>& isCancelled, LoadDetail detail, RemoteLanes* remote,
    Patience patience) {
    if (window.length().ns <= 0 || columns <= 0)
        return Error{ErrorCode::Usage,
            "The time window is empty; choose one that ends after it begins.", {}};
    if (catalogue.runs.size() != runs.size())
        return Error{ErrorCode::Internal, "The catalogue belongs to other runs.", {}};
    static std::atomic<std::uint64_t> serial{0};
    TimelineData data;
    data.serial = ++serial;
    data.window = window;
    data.columns = columns;
    data.runs = runs;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        auto& iterations = data.iterations.emplace_back(catalogue.runs[i].iterations);
        for (Iteration& one : iterations)
            one.range = shownRange(runs[i], one.rank, one.range);
        auto captures = catalogue.runs[i].captures;
        for (Capture& one : captures)
            one.range = shownRange(runs[i], one.rank, one.range);
        data.captures.push_back(analysis::capturesByName(std::move(captures)));
        auto& phases = data.phases.emplace_back(catalogue.runs[i].phases);
        for (NamedPhase& one : phases)
            one.range = shownRange(runs[i], -1, one.range);
    }
    const LaneRequest request{
        store, catalogue, runs, window, columns, isCancelled, detail, remote, patience};
    for (const auto& spec : arrangement.lanes) {
        ASSIGN_OR_RETURN(auto lane,
            showsSpans(spec.style)             ? loadSpanLane(request, spec)
                : isDerivedIn(catalogue, spec) ? loadDerivedLane(request, spec)
                                               : loadMetricLane(request, spec));
        data.lanes.push_back(std::move(lane));
    }
    RETURN_IF_ERROR(resolveNames(store, data, isCancelled));
    joinCategories(data);
    return data;
}

Result<double> counterRateAt(const store::Store& store, const Series& counter, TimeNs time) {
    if (!counter.range.contains(time))
        return kNoRate;
    const DurationNs period{counter.range.length().ns / std::max<std::int64_t>(1, counter.count)};
    const bool isEnergy = counter.description.metric.unit == "J";
    const DurationNs hole{period.ns * kHolePeriods};
    const DurationNs back = isEnergy ? std::max(hole, kEnergyStretch) : hole;
    const auto buckets = store.rateBuckets(counter.id, {time - back, time + DurationNs{1}}, 1);
    if (!buckets.hasValue())
        return buckets.error();
    const bool any = !buckets.value().empty() && buckets.value().front().count > 0;
    if (!any)
        return kNoRate;
    return static_cast<double>(
        isEnergy ? buckets.value().front().mean : buckets.value().front().last);
}

Result<RateBounds> counterRateBounds(const store::Store& store, const Series& counter) {
    RateBounds bounds{kNoRate, kNoRate};
    if (counter.range.length().ns <= 0)
        return bounds;
    ASSIGN_OR_RETURN(const auto buckets, store.rateBuckets(counter.id, counter.range, 1));
    if (!buckets.empty() && buckets.front().count > 0)
        bounds = {buckets.front().min, buckets.front().max};
    return bounds;
}

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
