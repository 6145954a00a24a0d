#include "app/cli/figures/ComparisonFigure.h"

#include "app/cli/figures/FigureFiles.h"
#include "app/cli/figures/RunComparisonFigure.h"
#include "app/cli/options/RunSelection.h"
#include "app/painting/FigureDrawing.h"
#include "core/model/Metric.h"
#include "core/plot/figures/Figure.h"

#include <algorithm>

namespace trainscope::cli {

namespace {

Error unknown(const std::string& what, const std::string& given, const std::string& known) {
    return {
        ErrorCode::Usage, "There is no " + what + " '" + given + "'; there are " + known + ".", {}};
}

Status checkMetrics(const store::Store& store, const plot::FigureQuery& query) {
    const auto metrics = plot::figureMetrics(store, query.runs);
    if (!metrics.hasValue())
        return metrics.error();
    for (const auto& name : query.metrics) {
        const auto& all = metrics.value();
        const bool known = std::any_of(
            all.begin(), all.end(), [&name](const auto& choice) { return choice.key == name; });
        if (known)
            continue;
        std::string list;
        for (const auto& choice : all)
            list += (list.empty() ? "" : ", ") + choice.key;
        return Error{ErrorCode::NotFound,
            "The runs have no metric '" + name + "'. They have: " + list + ".", {}};
    }
    return {};
}

Status applyStatistic(const FigureArguments& arguments, plot::FigureQuery& query) {
    if (arguments.statistic.empty())
        return {};
    query.statistic = plot::figureStatisticFromString(arguments.statistic);
    if (!query.statistic)
        return noSuchStatistic(arguments.statistic);
    if (*query.statistic == plot::FigureStatistic::Energy && query.metrics.empty())
        query.metrics.emplace_back(metric::kGpuPower);
    for (const auto& metric : query.metrics) {
        const auto fitting = plot::figureStatistics(metric);
        const bool fits = std::any_of(fitting.begin(), fitting.end(),
            [&](const auto& choice) { return choice.key == arguments.statistic; });
        if (!fits)
            return Error{ErrorCode::Usage,
                "'" + arguments.statistic + "' does not apply to " + metric
                    + ": totals are those of counters, energy that of gpu_power.",
                {}};
    }
    return {};
}

Status applyPer(const FigureArguments& arguments, plot::FigureQuery& query) {
    if (arguments.per == "stage")
        query.per = plot::KernelsPer::Stage;
    else if (arguments.per == "rank")
        query.per = plot::KernelsPer::Rank;
    else if (!arguments.per.empty() && arguments.per != "run")
        return unknown("division", arguments.per, "run, stage and rank");
    return {};
}

Result<plot::FigureQuery> queryOf(
    plot::FigureKind kind, const FigureArguments& arguments, const store::Store& store) {
    plot::FigureQuery query;
    query.kind = kind;
    if (!arguments.runs.empty()) {
        const auto runs = selectRuns(store, arguments.runs);
        if (!runs.hasValue())
            return runs.error();
        for (const Run& run : runs.value())
            query.runs.push_back(run.id);
    }
    query.metrics = arguments.metrics;
    query.logScale = arguments.log;
    query.wholeRun = arguments.wholeRun;
    query.normalise = arguments.normalise;
    query.categories = arguments.categories;
    query.model = arguments.model;
    query.optimisation = arguments.optimisation;
    for (const Status& status : {applyPer(arguments, query), applyStatistic(arguments, query),
             checkMetrics(store, query)}) {
        if (!status.hasValue())
            return status.error();
    }
    return query;
}

} // namespace

std::string figureKinds() {
    std::string kinds = "timeline";
    for (int kind = 0; kind <= static_cast<int>(plot::FigureKind::Spectrum); ++kind)
        kinds += ", " + std::string(toString(static_cast<plot::FigureKind>(kind)));
    return kinds + ", " + runComparisonKinds() + ", layout, layout-grid, schedule, placement";
}

Result<QStringList> writeComparison(
    FigureArguments& arguments, const app::FigureOptions& options, const Console& console) {
    const auto kind = plot::figureKindFromString(arguments.kind);
    if (!kind)
        return unknown("figure", arguments.kind, figureKinds());
    const auto store = openDatabase(arguments.database);
    if (!store.hasValue())
        return store.error();
    const auto query = queryOf(*kind, arguments, store.value());
    if (!query.hasValue())
        return query.error();
    const auto data = plot::loadFigure(store.value(), query.value(), untilCancelled(console));
    if (!data.hasValue())
        return data.error();
    if (data.value().isEmpty())
        return Error{ErrorCode::NotFound, data.value().emptyText, {}};
    const auto& shown = data.value();
    FigureContent content{shown.title, {}, {}, plot::figureCsv(shown)};
    for (const auto& run : shown.runs)
        content.runs.emplace_back(run.id, run.name);
    content.draw = [&shown](const QString& path, const app::FigureOptions& described) {
        return app::exportFigureData(shown, path, described);
    };
    return writeFigureFiles(content, store.value(), arguments, options);
}

} // namespace trainscope::cli
