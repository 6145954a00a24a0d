#include "core/analysis/traces/CaptureWindows.h"
#include "core/analysis/traces/KernelCategory.h"
#include "core/figures/timeline/DerivedLane.h"
#include "core/figures/timeline/LaneLoad.h"
#include "core/model/Try.h"
#include "core/plot/timeline/SpanMix.h"
#include "core/plot/timeline/TraceClock.h"

#include <algorithm>
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

} // namespace trainscope::figures
