#include "app/painting/TimelineFigure.h"

#include "app/painting/FigureSources.h"
#include "app/painting/ScenePainter.h"
#include "app/painting/WriteFile.h"
#include "core/figures/timeline/TimelineLoad.h"
#include "core/plot/timeline/TraceClock.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

namespace trainscope::app {

namespace {

// Columns a point of paper, and the most that any figure gets.
constexpr double kVectorColumns = 2.0;
constexpr int kMostColumns = 6000;
// A lane of 120 px on the screen is 60 pt on paper.
constexpr double kPaperLane = 0.5;
// Lower ones have no room for their unit beside the name.
constexpr double kLeastLane = 20.0;
constexpr double kScreenNames = 148.0;

// Everything that is needed to draw, read once.
struct Loaded {
    plot::Arrangement arrangement;
    plot::ViewWindow window;
    plot::Catalogue catalogue;
};

plot::ViewWindow wholeWindow(
    const plot::Catalogue& catalogue, const std::vector<plot::ShownRun>& runs) {
    plot::ViewWindow window{{0}, {0}};
    bool first = true;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto extent = plot::extentOf(catalogue.runs[i], runs[i]);
        if (!extent)
            continue;
        const plot::ViewWindow own{extent->begin - runs[i].origin, extent->end - runs[i].origin};
        window.begin = first ? own.begin : std::min(window.begin, own.begin);
        window.end = first ? own.end : std::max(window.end, own.end);
        first = false;
    }
    return window;
}

Result<Loaded> prepare(const store::Store& store, const TimelineRequest& request) {
    auto catalogue = figures::readCatalogue(store, request.runs);
    if (!catalogue.hasValue())
        return catalogue.error();
    Loaded loaded{request.arrangement, request.window, std::move(catalogue).value()};
    if (loaded.arrangement.lanes.empty())
        loaded.arrangement = figures::defaultArrangement(loaded.catalogue);
    if (loaded.window.length().ns <= 0)
        loaded.window = wholeWindow(loaded.catalogue, request.runs);
    if (loaded.window.length().ns <= 0 || loaded.arrangement.lanes.empty())
        return Error{
            ErrorCode::NotFound, "The chosen runs hold neither samples nor kernels to draw.", {}};
    return loaded;
}

double nameWidth(const plot::Theme& theme, double width) {
    const double names = theme.size(plot::TextRole::Body) * kScreenNames / 13.0;
    return std::min(names, std::max(0.29 * width, 48.0));
}

plot::TimelineStyle styleOf(
    const TimelineRequest& request, const plot::Theme& theme, double width) {
    plot::TimelineStyle style;
    style.theme = &theme;
    style.width = width;
    style.time = request.time;
    style.utcOffsetSeconds = request.utcOffsetSeconds;
    style.measure = measureWith(theme);
    style.legend = true;
    style.overlays = request.overlays.get();
    style.nameWidth = nameWidth(theme, width);
    return style;
}

// Scales the lanes so that the figure has that height; 0: as on the screen, smaller where the text
// is.
void fitLanes(plot::TimelineData& data, const plot::TimelineStyle& style, double height) {
    double scale = style.theme->size(plot::TextRole::Body) < 10.0 ? kPaperLane : 1.0;
    if (height > 0.0) {
        double lanes = 0.0;
        for (const auto& lane : data.lanes)
            lanes += lane.spec.height;
        plot::TimelineData empty = data;
        for (auto& lane : empty.lanes)
            lane.spec.height = 0.0;
        const auto head = plot::buildTimeline(empty, data.window, style);
        scale = std::max(height - head.plot.y - style.theme->lineWidth, 1.0) / std::max(lanes, 1.0);
    }
    for (auto& lane : data.lanes)
        lane.spec.height *= scale;
}

QStringList laneWarnings(const plot::TimelineData& data) {
    const auto thin = std::count_if(data.lanes.begin(), data.lanes.end(),
        [](const plot::LaneData& lane) { return lane.spec.height < kLeastLane; });
    if (thin == 0)
        return {};
    return {
        QStringLiteral("The figure is too low for its %1 lanes; make it higher or take lanes out.")
            .arg(data.lanes.size())};
}

const plot::Theme& themeOf(const FigureOptions& options) {
    return options.theme == nullptr ? plot::paperTheme() : *options.theme;
}

} // namespace

int timelineColumns(const QString& path, const FigureOptions& options) {
    const auto format = figureFormatOf(path);
    const bool raster = format.hasValue() && format.value() == FigureFormat::Png;
    const double density = raster ? options.pngDpi / 72.0 : kVectorColumns;
    const double width = options.widthMm / 25.4 * 72.0;
    const double drawn = width - nameWidth(themeOf(options), width);
    return std::clamp(static_cast<int>(std::lround(drawn * density)), 1, kMostColumns);
}

Result<TimelineRequest> timelineOf(
    const std::filesystem::path& database, const std::vector<std::string>& runNames) {
    auto store = store::Store::open(database, store::OpenMode::ReadOnly);
    if (!store.hasValue())
        return store.error();
    const auto all = store.value().runs();
    if (!all.hasValue())
        return all.error();
    if (all.value().empty())
        return Error{ErrorCode::NotFound, "The database holds no runs; import some first.",
            database.string()};
    std::vector<Run> chosen;
    if (runNames.empty())
        chosen.push_back(all.value().front());
    for (const auto& name : runNames) {
        auto run = store.value().findRun(name);
        if (!run.hasValue())
            return run.error();
        chosen.push_back(std::move(run).value());
    }
    TimelineRequest request;
    request.database = database;
    for (std::size_t i = 0; i < chosen.size(); ++i)
        request.runs.push_back({chosen[i].id, chosen[i].name, chosen[i].range.begin, i});
    return request;
}

Status alignClocks(TimelineRequest& request, const Progress& progress) {
    const auto store = store::Store::open(request.database, store::OpenMode::ReadOnly);
    if (!store.hasValue())
        return store.error();
    const auto catalogue = figures::readCatalogue(store.value(), request.runs);
    if (!catalogue.hasValue())
        return catalogue.error();
    for (std::size_t i = 0; i < request.runs.size(); ++i) {
        plot::ShownRun& shown = request.runs[i];
        Run run;
        run.id = shown.id;
        auto clocks = analysis::alignRanks(store.value(), run, progress);
        if (!clocks.hasValue())
            return clocks.error();
        shown.clocks = std::make_shared<const analysis::RankClocks>(std::move(clocks).value());
        if (const auto extent = plot::extentOf(catalogue.value().runs[i], shown))
            shown.origin = extent->begin;
    }
    return {};
}

Result<QStringList> exportTimeline(const TimelineRequest& request, const QString& path,
    const FigureOptions& options, const std::function<bool()>& isCancelled) {
    const auto format = figureFormatOf(path);
    if (!format.hasValue())
        return format.error();
    const auto store = store::Store::open(request.database, store::OpenMode::ReadOnly);
    if (!store.hasValue())
        return store.error();
    const auto loaded = prepare(store.value(), request);
    if (!loaded.hasValue())
        return loaded.error();
    const plot::Theme& theme = themeOf(options);
    QStringList warnings;
    const auto build = [&](double width, double height) -> Result<plot::PlotScene> {
        const auto style = styleOf(request, theme, width);
        const int columns = timelineColumns(path, options);
        auto data = figures::loadTimeline(store.value(), loaded.value().catalogue, request.runs,
            loaded.value().arrangement, loaded.value().window, columns, isCancelled);
        if (!data.hasValue())
            return data.error();
        fitLanes(data.value(), style, height);
        warnings = laneWarnings(data.value());
        auto geometry = plot::buildTimeline(data.value(), loaded.value().window, style);
        if (height > 0.0)
            geometry.scene.height = height;
        return std::move(geometry.scene);
    };
    FigureOptions complete = options;
    complete.theme = &theme;
    std::vector<std::pair<RunId, std::string>> runs;
    for (const auto& run : request.runs)
        runs.emplace_back(run.id, run.name);
    complete.metadata = describedBy(store.value(), runs, options.metadata);
    const auto written = exportFigure(path, build, complete);
    if (!written.hasValue())
        return written.error();
    return warnings + written.value();
}

Status exportTimelineCsv(const TimelineRequest& request, const QString& path, int columns,
    const std::function<bool()>& isCancelled) {
    const auto store = store::Store::open(request.database, store::OpenMode::ReadOnly);
    if (!store.hasValue())
        return store.error();
    const auto loaded = prepare(store.value(), request);
    if (!loaded.hasValue())
        return loaded.error();
    const auto data = figures::loadTimeline(store.value(), loaded.value().catalogue, request.runs,
        loaded.value().arrangement, loaded.value().window, columns, isCancelled,
        plot::LoadDetail::Whole);
    if (!data.hasValue())
        return data.error();
    return writeFile(path, QByteArray::fromStdString(plot::timelineCsv(data.value())));
}

} // namespace trainscope::app
