#include "app/cli/figures/ScheduleFigure.h"

#include "app/cli/figures/FigureFiles.h"
#include "app/cli/options/RunSelection.h"
#include "app/painting/ScenePainter.h"
#include "core/figures/layout/LayoutFigure.h"
#include "core/plot/layout/PlacementFigure.h"
#include "core/plot/layout/ScheduleFigure.h"

#include <functional>
#include <utility>

namespace trainscope::cli {

namespace {

Result<plot::ScheduleFigureData> loadedSchedule(
    const FigureArguments& arguments, const store::Store& store, const Console& console) {
    const auto run = runOfFigure(arguments, store);
    if (!run.hasValue())
        return run.error();
    if (arguments.plannedOnly && arguments.iteration)
        return Error{ErrorCode::Usage,
            "The plan is the same in every iteration; give --planned or --iteration.", {}};
    const plot::ScheduleQuery query{run.value().id, arguments.iteration, arguments.plannedOnly,
        arguments.fromSeconds, arguments.toSeconds};
    auto data = figures::loadSchedule(store, query, untilCancelled(console));
    if (data.hasValue() && data.value().isEmpty())
        return Error{ErrorCode::NotFound, data.value().emptyText, run.value().name};
    return data;
}

using Build = std::function<plot::PlotScene(const plot::FigureStyle&)>;

auto drawnBy(Build build) {
    return [build = std::move(build)](const QString& path, const app::FigureOptions& options) {
        const auto scene = [&](double width, double height) -> Result<plot::PlotScene> {
            plot::FigureStyle style;
            style.theme = options.theme;
            style.width = width;
            style.height = height;
            style.measure = app::measureWith(*options.theme);
            return build(style);
        };
        return app::exportFigure(path, scene, options);
    };
}

} // namespace

Result<QStringList> writeScheduleFigure(
    FigureArguments& arguments, const app::FigureOptions& options, const Console& console) {
    const auto store = openDatabase(arguments.database);
    if (!store.hasValue())
        return store.error();
    const auto data = loadedSchedule(arguments, store.value(), console);
    if (!data.hasValue())
        return data.error();
    const auto& shown = data.value();
    const auto build
        = [&](const plot::FigureStyle& style) { return buildScheduleFigure(shown, style).scene; };
    return writeFigureFiles(
        {shown.title, {{shown.query.run, shown.run}}, drawnBy(build), scheduleCsv(shown)},
        store.value(), arguments, options);
}

Result<QStringList> writePlacementFigure(
    FigureArguments& arguments, const app::FigureOptions& options, const Console& console) {
    const auto store = openDatabase(arguments.database);
    if (!store.hasValue())
        return store.error();
    const auto run = runOfFigure(arguments, store.value());
    if (!run.hasValue())
        return run.error();
    const auto data
        = figures::loadPlacement(store.value(), run.value().id, untilCancelled(console));
    if (!data.hasValue())
        return data.error();
    const auto& shown = data.value();
    if (shown.isEmpty())
        return Error{ErrorCode::NotFound, shown.emptyText, shown.runName};
    const auto build
        = [&](const plot::FigureStyle& style) { return buildPlacementFigure(shown, style).scene; };
    return writeFigureFiles(
        {shown.title, {{shown.run, shown.runName}}, drawnBy(build), placementCsv(shown)},
        store.value(), arguments, options);
}

} // namespace trainscope::cli
