#include "core/analysis/traces/TraceBreakdown.h"

#include "core/analysis/traces/BreakdownMeter.h"
#include "core/analysis/traces/SpanMerge.h"
#include "core/model/Try.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace trainscope::analysis {

namespace {

TimeRange extentOf(const std::vector<const Track*>& tracks) {
    TimeRange extent = tracks.front()->range;
    for (const Track* track : tracks)
        extent
            = {std::min(extent.begin, track->range.begin), std::max(extent.end, track->range.end)};
    return extent;
}

} // namespace

Result<std::vector<DeviceBreakdown>> traceBreakdown(const store::Store& store, const Run& run,
    const KernelCategories& categories, TimeRange window, const IterationChoice& iterations,
    const Progress& progress) {
    ASSIGN_OR_RETURN(const auto tracks, store.tracks(run.id));
    std::map<std::pair<int, int>, std::vector<const Track*>> byDevice;
    for (const Track& track : tracks) {
        if (track.description.kind == TrackKind::Stream)
            byDevice[{track.description.rank, track.description.device}].push_back(&track);
    }
    KernelNames names(store, categories);
    std::vector<DeviceBreakdown> result;
    for (const auto& [device, streams] : byDevice) {
        const auto shown = traceWindow(device.first, extentOf(streams), window, iterations);
        if (!shown)
            continue;
        SpanMerge merge;
        for (const Track* stream : streams)
            merge.add(SpanCursor(store, stream->id, shown->range));
        BreakdownMeter meter(*shown, names);
        RETURN_IF_ERROR(
            merge.forEach([&](std::size_t, const Span& span) { return meter.add(span); },
                "Reading kernels", progress));
        result.push_back(meter.finish());
        std::tie(result.back().rank, result.back().device) = device;
    }
    return result;
}

} // namespace trainscope::analysis
