#include "app/cli/figures/LayoutFigure.h"

#include "app/cli/figures/FigureFiles.h"
#include "app/cli/options/RunSelection.h"
#include "app/painting/LayoutDrawing.h"
#include "core/figures/layout/LayoutFigure.h"
#include "core/plot/layout/LayoutFigure.h"

#include <cmath>

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
            return noSuchStatistic(arguments.statistic);
    }
    if (arguments.atSeconds)
        query.at = run.range.begin
            + DurationNs{static_cast<std::int64_t>(std::llround(*arguments.atSeconds * 1e9))};
    return query;
}

Result<plot::LayoutFigureData> loaded(
    const FigureArguments& arguments, const store::Store& store, const Console& console) {
    const auto run = runOfFigure(arguments, store);
    if (!run.hasValue())
        return run.error();
    const auto colours = coloursOf(arguments, run.value());
    if (!colours.hasValue())
        return colours.error();
    plot::LayoutQuery query;
    query.run = run.value().id;
    query.colours = colours.value();
    query.rank = arguments.rank;
    query.physical = arguments.kind == "layout";
    auto data = figures::loadLayoutFigure(store, query, untilCancelled(console));
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
    const auto& shown = data.value();
    const auto draw = [&shown](const QString& path, const app::FigureOptions& described) {
        return app::exportLayout(shown, path, described);
    };
    return writeFigureFiles(
        {shown.title, {{shown.run.id, shown.run.name}}, draw, plot::layoutCsv(shown)},
        store.value(), arguments, options);
}

} // namespace trainscope::cli
