#include "core/plot/timeline/TraceClock.h"

namespace trainscope::plot {

namespace {

const analysis::RankClock* clockOf(const ShownRun& run, int rank) {
    return run.clocks ? run.clocks->find(rank) : nullptr;
}

} // namespace

TimeNs shownTime(const ShownRun& run, int rank, TimeNs own) {
    const auto* const clock = clockOf(run, rank);
    return clock == nullptr ? own : clock->onReference(own);
}

TimeNs ownTime(const ShownRun& run, int rank, TimeNs shown) {
    const auto* const clock = clockOf(run, rank);
    return clock == nullptr ? shown : clock->toLocal(shown);
}

TimeRange shownRange(const ShownRun& run, int rank, const TimeRange& own) {
    return {shownTime(run, rank, own.begin), shownTime(run, rank, own.end)};
}

TimeRange ownRange(const ShownRun& run, int rank, const TimeRange& shown) {
    return {ownTime(run, rank, shown.begin), ownTime(run, rank, shown.end)};
}

std::optional<TimeRange> extentOf(const Catalogue::OfRun& facts, const ShownRun& run) {
    std::optional<TimeRange> extent;
    const auto extend = [&extent](const TimeRange& range) {
        if (range.isEmpty())
            return;
        extent = extent
            ? TimeRange{std::min(extent->begin, range.begin), std::max(extent->end, range.end)}
            : range;
    };
    for (const Series& series : facts.series)
        extend(series.range);
    for (const Track& track : facts.tracks)
        extend(shownRange(run, track.description.rank, track.range));
    return extent;
}

} // namespace trainscope::plot
