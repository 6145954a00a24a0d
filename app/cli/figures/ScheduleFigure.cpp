#include "app/cli/figures/ScheduleFigure.h"

#include "app/cli/options/RunSelection.h"
#include "app/painting/FigureSources.h"
#include "app/painting/ScenePainter.h"
#include "app/painting/WriteFile.h"
#include "core/plot/placement/PlacementFigure.h"
#include "core/plot/schedule/ScheduleFigure.h"

#include <filesystem>
#include <functional>

namespace trainscope::cli {

namespace {

Result<Run> oneRun(const FigureArguments& arguments, const store::Store& store) {
    if (arguments.runs.size() > 1)
        return Error{ErrorCode::Usage, "This figure shows one run; give --run once.", {}};
    return selectRunOrOnly(store, arguments.runs.empty() ? std::string() : arguments.runs.front());
}

Result<plot::ScheduleFigureData> loaded(
    const FigureArguments& arguments, const store::Store& store, const Console& console) {
    const auto run = oneRun(arguments, store);
    if (!run.hasValue())
        return run.error();
    if (arguments.plannedOnly && arguments.iteration)
        return Error{ErrorCode::Usage,
            "The plan is the same in every iteration; give --planned or --iteration.", {}};
    const plot::ScheduleQuery query{run.value().id, arguments.iteration, arguments.plannedOnly,
        arguments.fromSeconds, arguments.toSeconds};
    auto data = plot::loadSchedule(
        store, query, [&console](const ProgressState&) { return !console.isCancelled(); });
    if (data.hasValue() && data.value().isEmpty())
        return Error{ErrorCode::NotFound, data.value().emptyText, run.value().name};
    return data;
}

// A scene and its numbers as files.
struct Drawn {
    std::string title;
    std::pair<RunId, std::string> run;
    std::function<plot::PlotScene(const plot::FigureStyle&)> build;
    std::string csv;
};

Result<QStringList> write(const Drawn& drawn, const store::Store& store, FigureArguments& arguments,
    const app::FigureOptions& options) {
    app::FigureOptions complete = options;
    complete.metadata.title = QString::fromStdString(drawn.title);
    complete.metadata = app::describedBy(store, {drawn.run}, complete.metadata);
    const auto build = [&](double width, double height) -> Result<plot::PlotScene> {
        plot::FigureStyle style;
        style.theme = options.theme;
        style.width = width;
        style.height = height;
        style.measure = app::measureWith(*options.theme);
        return drawn.build(style);
    };
    auto written = app::exportFigure(QString::fromStdString(arguments.out), build, complete);
    if (!written.hasValue())
        return written;
    if (arguments.csv.empty())
        arguments.csv = std::filesystem::path(arguments.out).replace_extension(".csv").string();
    const Status numbers = app::writeFile(
        QString::fromStdString(arguments.csv), QByteArray::fromStdString(drawn.csv));
    if (!numbers.hasValue())
        return numbers.error();
    return written;
}

} // namespace

Result<QStringList> writeScheduleFigure(
    FigureArguments& arguments, const app::FigureOptions& options, const Console& console) {
    const auto store = openDatabase(arguments.database);
    if (!store.hasValue())
        return store.error();
    const auto data = loaded(arguments, store.value(), console);
    if (!data.hasValue())
        return data.error();
    const auto& shown = data.value();
    return write({shown.title, {shown.query.run, shown.run},
                     [&](const auto& style) { return buildScheduleFigure(shown, style).scene; },
                     scheduleCsv(shown)},
        store.value(), arguments, options);
}

Result<QStringList> writePlacementFigure(
    FigureArguments& arguments, const app::FigureOptions& options, const Console& console) {
    const auto store = openDatabase(arguments.database);
    if (!store.hasValue())
        return store.error();
    const auto run = oneRun(arguments, store.value());
    if (!run.hasValue())
        return run.error();
    const auto data = plot::loadPlacement(store.value(), run.value().id,
        [&console](const ProgressState&) { return !console.isCancelled(); });
    if (!data.hasValue())
        return data.error();
    const auto& shown = data.value();
    if (shown.isEmpty())
        return Error{ErrorCode::NotFound, shown.emptyText, shown.runName};
    return write({shown.title, {shown.run, shown.runName},
                     [&](const auto& style) { return buildPlacementFigure(shown, style).scene; },
                     placementCsv(shown)},
        store.value(), arguments, options);
}

} // namespace trainscope::cli
