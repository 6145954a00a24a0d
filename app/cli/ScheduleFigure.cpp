#include "app/cli/ScheduleFigure.h"

#include "app/cli/RunSelection.h"
#include "app/painting/FigureSources.h"
#include "app/painting/ScenePainter.h"
#include "app/painting/WriteFile.h"
#include "core/plot/schedule/ScheduleFigure.h"

#include <filesystem>

namespace trainscope::cli {

namespace {

Result<plot::ScheduleFigureData> loaded(
    const FigureArguments& arguments, const store::Store& store, const Console& console) {
    if (arguments.runs.size() > 1)
        return Error{
            ErrorCode::Usage, "A figure of a schedule shows one run; give --run once.", {}};
    const auto run
        = selectRunOrOnly(store, arguments.runs.empty() ? std::string() : arguments.runs.front());
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

} // namespace

Result<QStringList> writeScheduleFigure(
    FigureArguments& arguments, const app::FigureOptions& options, const Console& console) {
    const auto store = openDatabase(arguments.database);
    if (!store.hasValue())
        return store.error();
    const auto data = loaded(arguments, store.value(), console);
    if (!data.hasValue())
        return data.error();
    app::FigureOptions complete = options;
    complete.metadata.title = QString::fromStdString(data.value().title);
    complete.metadata = app::describedBy(
        store.value(), {{data.value().query.run, data.value().run}}, complete.metadata);
    const auto build = [&](double width, double height) -> Result<plot::PlotScene> {
        plot::FigureStyle style;
        style.theme = options.theme;
        style.width = width;
        style.height = height;
        style.measure = app::measureWith(*options.theme);
        return plot::buildScheduleFigure(data.value(), style).scene;
    };
    auto written = app::exportFigure(QString::fromStdString(arguments.out), build, complete);
    if (!written.hasValue())
        return written;
    if (arguments.csv.empty())
        arguments.csv = std::filesystem::path(arguments.out).replace_extension(".csv").string();
    const Status numbers = app::writeFile(QString::fromStdString(arguments.csv),
        QByteArray::fromStdString(plot::scheduleCsv(data.value())));
    if (!numbers.hasValue())
        return numbers.error();
    return written;
}

} // namespace trainscope::cli
