#include "app/cli/figures/LayoutFigure.h"

#include "app/cli/options/RunSelection.h"
#include "app/painting/FigureSources.h"
#include "app/painting/LayoutDrawing.h"
#include "app/painting/WriteFile.h"
#include "core/plot/layout/LayoutFigure.h"

#include <cmath>
#include <filesystem>

namespace trainscope::cli {

namespace {

Result<plot::ColourQuery> coloursOf(const FigureArguments& arguments, const Run& run) {
    plot::ColourQuery query;
    std::string colour = arguments.colour;
    if (colour.empty() && !arguments.metrics.empty())
        colour = arguments.metrics.front();
    if (colour.empty())
        colour = arguments.atSeconds || !arguments.statistic.empty() ? query.metric : "stage";
    const auto named = plot::rankColourFromString(colour);
    if (named && *named != plot::RankColour::Value) {
        if (arguments.atSeconds || !arguments.statistic.empty())
            return Error{ErrorCode::Usage,
                "--at and --statistic speak of a metric, not of " + colour
                    + "; give one with --colour.",
                {}};
        query.by = *named;
        return query;
    }
    query.by = plot::RankColour::Value;
    query.metric = colour;
    query.wholeRun = arguments.wholeRun;
    if (!arguments.statistic.empty()) {
        query.statistic = plot::figureStatisticFromString(arguments.statistic);
        if (!query.statistic)
            return Error{ErrorCode::Usage,
                "There is no statistic '" + arguments.statistic
                    + "'; there are mean, peak, p99, min, total and energy.",
                {}};
    }
    if (arguments.atSeconds)
        query.at = run.range.begin
            + DurationNs{static_cast<std::int64_t>(std::llround(*arguments.atSeconds * 1e9))};
    return query;
}

Result<plot::LayoutFigureData> loaded(
    const FigureArguments& arguments, const store::Store& store, const Console& console) {
    if (arguments.runs.size() > 1)
        return Error{ErrorCode::Usage, "A figure of a layout shows one run; give --run once.", {}};
    const auto run
        = selectRunOrOnly(store, arguments.runs.empty() ? std::string() : arguments.runs.front());
    if (!run.hasValue())
        return run.error();
    const auto colours = coloursOf(arguments, run.value());
    if (!colours.hasValue())
        return colours.error();
    plot::LayoutQuery query{
        run.value().id, colours.value(), arguments.rank, arguments.kind == "layout", true, true};
    auto data = plot::loadLayoutFigure(
        store, query, [&console](const ProgressState&) { return !console.isCancelled(); });
    if (!data.hasValue())
        return data;
    if (!query.physical && !data.value().layout)
        return Error{ErrorCode::NotFound, data.value().notes.back(), run.value().name};
    const auto ranks = data.value().cluster.gpuCount();
    if (arguments.rank
        && (*arguments.rank < 0 || static_cast<std::size_t>(*arguments.rank) >= ranks))
        return Error{ErrorCode::NotFound,
            "The run has no rank " + std::to_string(*arguments.rank) + "; it has 0 to "
                + std::to_string(ranks - 1) + ".",
            run.value().name};
    return data;
}

} // namespace

bool isLayoutKind(std::string_view kind) {
    return kind == "layout" || kind == "layout-grid";
}

Result<QStringList> writeLayoutFigure(
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
        store.value(), {{data.value().run.id, data.value().run.name}}, complete.metadata);
    auto written = app::exportLayout(data.value(), QString::fromStdString(arguments.out), complete);
    if (!written.hasValue())
        return written;
    if (arguments.csv.empty())
        arguments.csv = std::filesystem::path(arguments.out).replace_extension(".csv").string();
    const Status numbers = app::writeFile(QString::fromStdString(arguments.csv),
        QByteArray::fromStdString(plot::layoutCsv(data.value())));
    if (!numbers.hasValue())
        return numbers.error();
    return written;
}

} // namespace trainscope::cli
