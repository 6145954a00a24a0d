#include "core/figures/runs/RunFigureKinds.h"

#include "core/figures/runs/RunFigures.h"
#include "core/model/Try.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainscope::figures {

namespace {

constexpr Option kMetric{
    "metric", "M", "A panel for this metric; may be given several times", true};
constexpr Option kStatistic{"statistic", "S",
    "mean, peak, p99, min, total (counters) or energy; sweeps show mean and peak without", false,
    "mean peak p99 min total energy"};
constexpr Option kLog{"log", {}, "Logarithmic colours or amplitudes"};
constexpr Option kWholeRun{
    "whole-run", {}, "Warm-up and unsettled time too; without, steady iterations only"};
constexpr Option kPer{
    "per", "P", "A bar of kernels per run, stage or rank", false, "run stage rank"};
constexpr Option kNormalise{
    "normalise", {}, "Stacks as shares of their sum; efficiency relative to the first"};
constexpr Option kCategories{"categories", "TABLE",
    "Kernel categories: default, charllm, or a JSON file", false, "default charllm"};
constexpr Option kModel{"model", "M", "Only runs of models whose name contains this"};
constexpr Option kOptimisation{"optimization", "O",
    "Only runs with base, cc (overlap), act (recomputation) or cc+act", false,
    "base cc act cc+act"};

Status checkMetrics(const store::Store& store, const FigureQuery& query) {
    ASSIGN_OR_RETURN(const auto metrics, figureMetrics(store, query.runs));
    for (const auto& name : query.metrics) {
        std::string known;
        bool isKnown = false;
        for (const auto& choice : metrics) {
            isKnown = isKnown || choice.key == name;
            known += (known.empty() ? "" : ", ") + choice.key;
        }
        if (!isKnown)
            return Error{ErrorCode::NotFound,
                "The runs have no metric '" + name + "'. They have: " + known + ".", {}};
    }
    return {};
}

Status takeStatistic(const OptionValues& options, FigureQuery& query) {
    const std::string name = options.text("statistic");
    if (name.empty())
        return {};
    ASSIGN_OR_RETURN(const auto statistic, statisticNamed(name));
    query.statistic = statistic;
    if (statistic == FigureStatistic::Energy && query.metrics.empty())
        query.metrics.emplace_back("gpu_power");
    for (const auto& metric : query.metrics)
        RETURN_IF_ERROR(checkStatistic(statistic, metric));
    return {};
}

Status takePer(const OptionValues& options, FigureQuery& query) {
    const std::string per = options.text("per");
    if (per == "stage")
        query.per = KernelsPer::Stage;
    else if (per == "rank")
        query.per = KernelsPer::Rank;
    else if (!per.empty() && per != "run")
        return unknownChoice("division", per, "run, stage and rank");
    return {};
}

Result<Figure> loadKind(
    FigureKind kind, const analysis::RunStudies& studies, const Request& request) {
    const auto& options = request.options;
    FigureQuery query;
    query.kind = kind;
    for (const Run& run : request.runs)
        query.runs.push_back(run.id);
    query.metrics = options.all("metric");
    query.logScale = options.has("log");
    query.wholeRun = options.has("whole-run");
    query.normalise = options.has("normalise");
    query.categories = options.text("categories");
    query.model = options.text("model");
    query.optimisation = options.text("optimization");
    RETURN_IF_ERROR(takePer(options, query));
    RETURN_IF_ERROR(takeStatistic(options, query));
    RETURN_IF_ERROR(checkMetrics(studies.store, query));
    ASSIGN_OR_RETURN(auto data, loadFigure(studies, query));
    return runFigure(std::make_shared<const FigureData>(std::move(data)));
}

Kind kindOf(FigureKind kind, std::vector<Option> own) {
    own.insert(own.end(), {kModel, kOptimisation, kWholeRun});
    Kind made{toString(kind), RunsShown::Named, std::move(own),
        [kind](const analysis::RunStudies& studies, const Request& request) {
            return loadKind(kind, studies, request);
        }};
    made.inReport = [](std::size_t) { return std::optional(OptionValues()); };
    return made;
}

Kind sweepOf(FigureKind kind) {
    Kind made = kindOf(kind, {kMetric, kStatistic, kNormalise});
    made.inReport
        = [](std::size_t runs) { return runs > 1 ? std::optional(OptionValues()) : std::nullopt; };
    return made;
}

Point centreOf(const Rect& rect) {
    return {rect.x + rect.width / 2.0, rect.y + rect.height / 2.0};
}

// Centre of the cell of that run and rank.
std::optional<Point> cellOf(const FigureData& data, std::size_t index, const Rect& grid, RunId run,
    std::optional<int> rank) {
    const FigureHeatmap& map = data.heatmaps[index];
    const auto column
        = rank ? std::find(map.columns.begin(), map.columns.end(), *rank) : map.columns.end();
    const auto row = std::find_if(map.rows.begin(), map.rows.end(),
        [&](const auto& candidate) { return data.runs[candidate.run].id == run; });
    if (column == map.columns.end() || map.byNode || row == map.rows.end())
        return std::nullopt;
    const auto along = [](auto at, std::size_t count) {
        return (static_cast<double>(at) + 0.5) / static_cast<double>(count);
    };
    return Point{grid.x + grid.width * along(column - map.columns.begin(), map.columns.size()),
        grid.y + grid.height * along(row - map.rows.begin(), map.rows.size())};
}

std::vector<Place> placesOf(
    const FigureData& data, const FigureGeometry& geometry, RunId run, std::optional<int> rank) {
    std::vector<Place> places;
    for (std::size_t i = 0; i < std::min(data.heatmaps.size(), geometry.cells.size()); ++i) {
        if (const auto at = cellOf(data, i, geometry.cells[i], run, rank))
            places.push_back({*at});
    }
    for (const auto& target : geometry.targets) {
        if (target.panel >= data.panels.size()
            || target.category >= data.panels[target.panel].categories.size())
            continue;
        const auto& category = data.panels[target.panel].categories[target.category];
        const bool isOfRun = category.run && data.runs[*category.run].id == run;
        if (isOfRun && (!rank || !category.rank || *category.rank == *rank))
            places.push_back({centreOf(target.rect)});
    }
    return places;
}

std::vector<Rect> targetsOf(const FigureData& data, const FigureGeometry& geometry) {
    std::vector<Rect> targets;
    for (std::size_t i = 0; i < std::min(data.heatmaps.size(), geometry.cells.size()); ++i) {
        const Rect& grid = geometry.cells[i];
        targets.push_back(
            {grid.x, grid.y, grid.width / static_cast<double>(data.heatmaps[i].columns.size()),
                grid.height / static_cast<double>(data.heatmaps[i].rows.size())});
    }
    for (const auto& target : geometry.targets)
        targets.push_back(target.rect);
    return targets;
}

} // namespace

Figure runFigure(const std::shared_ptr<const FigureData>& data) {
    Figure figure{toString(data->query.kind), data->title,
        data->isEmpty() ? data->emptyText : std::string(), {}, {}, {}, {}};
    for (const auto& run : data->runs)
        figure.runs.emplace_back(run.id, run.name);
    figure.draw = [data](const FigureStyle& style) {
        auto geometry = std::make_shared<FigureGeometry>(buildFigure(*data, style));
        Picture picture;
        picture.scene = std::move(geometry->scene);
        picture.preferredHeight = geometry->preferredHeight;
        if (style.height > 0.0 && style.height < 0.8 * picture.preferredHeight)
            picture.warnings.push_back(
                fmt::format("The figure wants to be {:.0f} mm high; lower, its labels are thinned "
                            "out or touch.",
                    picture.preferredHeight * 25.4 / 72.0));
        picture.hitAt
            = [data, geometry](Point at) { return hitFigure(*data, *geometry, at.x, at.y); };
        picture.placesOf = [data, geometry](RunId run, std::optional<int> rank) {
            return placesOf(*data, *geometry, run, rank);
        };
        picture.targets = targetsOf(*data, *geometry);
        return picture;
    };
    figure.csv = [data] { return figureCsv(*data); };
    return figure;
}

std::vector<Kind> runFigureKinds() {
    Kind kernels = kindOf(FigureKind::Kernels, {kPer, kNormalise, kCategories});
    kernels.inReport = [](std::size_t runs) {
        OptionValues options;
        if (runs == 1)
            options.add("per", "rank");
        return std::optional(options);
    };
    return {sweepOf(FigureKind::ParallelismSweep), sweepOf(FigureKind::OptimizationSweep),
        sweepOf(FigureKind::MicrobatchSweep),
        kindOf(FigureKind::Heatmap, {kMetric, kStatistic, kLog}), kernels,
        kindOf(FigureKind::StageBreakdown, {kPer, kNormalise, kCategories}),
        kindOf(FigureKind::Spectrum, {kLog})};
}

} // namespace trainscope::figures
