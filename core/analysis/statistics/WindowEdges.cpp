#include "core/analysis/statistics/WindowEdges.h"

#include "core/analysis/statistics/Elapsed.h"
#include "core/analysis/statistics/EnergyIntegral.h"
#include "core/model/Try.h"

#include <cmath>

namespace trainscope::analysis {

namespace {

using Sample = store::Store::Sample;

Result<std::optional<Sample>> firstFrom(const store::Store& store, SeriesId series, TimeNs time) {
    std::optional<Sample> found;
    RETURN_IF_ERROR(
        store.forEachSample(series, {time, kAllTime.end}, [&found](auto times, auto values) {
            found = Sample{times[0], values[0]};
            return false;
        }));
    return found;
}

std::optional<double> between(const std::optional<Sample>& before,
    const std::optional<Sample>& after, TimeNs moment, const Series& series) {
    if (!before || !after || std::isnan(before->value) || std::isnan(after->value))
        return std::nullopt;
    const auto length = static_cast<double>(elapsedNs(before->time, after->time));
    const bool isHole
        = length > EnergyIntegral::kGapPeriods * static_cast<double>(series.period.ns);
    const bool falls = after->value < before->value;
    if (isHole || (falls && series.description.metric.kind == MetricKind::Counter))
        return std::nullopt;
    return std::lerp(before->value, after->value,
        length > 0.0 ? static_cast<double>(elapsedNs(before->time, moment)) / length : 0.0);
}

} // namespace

Result<WindowEdges> windowEdges(const store::Store& store, const Series& series, TimeRange window) {
    WindowEdges edges;
    edges.window = window;
    const auto beforeBegin = store.lastBefore(series.id, window.begin);
    const auto afterBegin = firstFrom(store, series.id, window.begin);
    const auto beforeEnd = store.lastBefore(series.id, window.end);
    const auto afterEnd = firstFrom(store, series.id, window.end);
    for (const auto* sample : {&beforeBegin, &afterBegin, &beforeEnd, &afterEnd}) {
        if (!sample->hasValue())
            return sample->error();
    }
    if (beforeBegin.value())
        edges.heldAtBegin = beforeBegin.value()->value;
    edges.isHeldToEnd = afterEnd.value().has_value();
    edges.lineAtBegin = between(beforeBegin.value(), afterBegin.value(), window.begin, series);
    edges.lineAtEnd = between(beforeEnd.value(), afterEnd.value(), window.end, series);
    return edges;
}

} // namespace trainscope::analysis
