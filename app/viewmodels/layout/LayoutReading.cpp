#include "app/viewmodels/layout/LayoutReading.h"
#include "core/figures/layout/LayoutFigure.h"
#include "core/figures/runs/RunFigures.h"

namespace trainscope::app {
namespace {

Status readKnown(const store::Store& store, const Progress& progress, LayoutReading& reading) {
    auto known = analysis::runLayout(store, reading.run, progress);
    if (known.hasValue()) {
        reading.known = std::move(known).value();
        return {};
    }
    if (known.error().code != ErrorCode::NotFound)
        return known.error();
    reading.missing = known.error().message;
    return {};
}

Status readSchedule(
    const store::Store& store, bool withTraces, const Progress& progress, LayoutReading& reading) {
    const auto& layout = reading.figure.layout;
    if (!layout || layout->grid.degrees().pipeline < 2)
        return {};
    plot::ScheduleQuery query;
    query.run = reading.run.id;
    query.plannedOnly = !withTraces;
    auto schedule = figures::loadSchedule(store, query, progress);
    if (!schedule.hasValue())
        return schedule.error();
    reading.schedule = std::move(schedule).value();
    if (!withTraces)
        return {};
    auto iterations = analysis::tracedIterations(store, reading.run, progress);
    if (!iterations.hasValue())
        return iterations.error();
    reading.iterations = std::move(iterations).value();
    return {};
}

Status readPlacement(const store::Store& store, const Progress& progress, LayoutReading& reading) {
    auto placement = analysis::proposePlacement(store, reading.run, progress);
    if (placement.hasValue())
        reading.placement = std::move(placement).value();
    else if (placement.error().code == ErrorCode::NotFound)
        reading.placementMissing = placement.error().message;
    else
        return placement.error();
    return {};
}

} // namespace

Result<LayoutReadingPtr> readLayout(const store::Store& store, const Run& run,
    const plot::ColourQuery& colours, bool withTraces, const Progress& progress) {
    auto reading = std::make_shared<LayoutReading>();
    reading->run = run;
    if (const auto status = readKnown(store, progress, *reading); !status.hasValue())
        return status.error();
    auto metrics = figures::figureMetrics(store, {run.id});
    if (!metrics.hasValue())
        return metrics.error();
    reading->metrics = std::move(metrics).value();
    plot::LayoutQuery query;
    query.run = run.id;
    query.colours = colours;
    query.bytes = withTraces;
    const bool needsLayout
        = colours.by != plot::RankColour::Value && colours.by != plot::RankColour::Node;
    if (!reading->known && needsLayout)
        query.colours.by = plot::RankColour::Node;
    auto figure = figures::loadLayoutFigure(store, query, progress);
    // A metric that this run does not have is no reason to show nothing.
    if (!figure.hasValue() && figure.error().code == ErrorCode::NotFound
        && query.colours.by == plot::RankColour::Value) {
        query.colours.by = plot::RankColour::Node;
        figure = figures::loadLayoutFigure(store, query, progress);
    }
    if (!figure.hasValue())
        return figure.error();
    reading->figure = std::move(figure).value();
    reading->hasTraces = withTraces;
    if (const auto status = readSchedule(store, withTraces, progress, *reading); !status.hasValue())
        return status.error();
    if (withTraces && reading->figure.layout) {
        if (const auto status = readPlacement(store, progress, *reading); !status.hasValue())
            return status.error();
    }
    return LayoutReadingPtr(std::move(reading));
}

} // namespace trainscope::app
