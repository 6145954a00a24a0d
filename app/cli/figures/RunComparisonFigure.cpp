#include "app/cli/figures/RunComparisonFigure.h"

#include "app/cli/options/RunSelection.h"
#include "app/comparing/SavedComparison.h"
#include "app/painting/ComparisonDrawing.h"
#include "app/painting/FigureSources.h"
#include "app/painting/WriteFile.h"
#include "core/figures/comparison/ComparisonLoad.h"
#include "core/plot/comparison/Comparison.h"

#include <algorithm>
#include <array>
#include <filesystem>

namespace trainscope::cli {

namespace {

using plot::ComparisonPanel;

struct Kind {
    std::string_view key;
    std::vector<ComparisonPanel> panels;
};

const std::array<Kind, 5>& kinds() {
    static const std::array<Kind, 5> all{{
        {"comparison", {ComparisonPanel::Verdict, ComparisonPanel::Reasons, ComparisonPanel::Bars}},
        {"comparison-board", {}},
        {"comparison-breakdown", {ComparisonPanel::Breakdown, ComparisonPanel::Kernels}},
        {"comparison-timeline", {ComparisonPanel::Curves, ComparisonPanel::Tracks}},
        {"comparison-heatmap", {ComparisonPanel::Heatmap}},
    }};
    return all;
}

const Kind* findKind(std::string_view key) {
    const auto found = std::find_if(
        kinds().begin(), kinds().end(), [key](const Kind& kind) { return kind.key == key; });
    return found == kinds().end() ? nullptr : &*found;
}

bool shows(const Kind& kind, ComparisonPanel panel) {
    return kind.panels.empty()
        || std::find(kind.panels.begin(), kind.panels.end(), panel) != kind.panels.end();
}

Error usage(std::string message) {
    return {ErrorCode::Usage, std::move(message), {}};
}

Status applyPer(const FigureArguments& arguments, plot::ComparisonQuery& query) {
    if (arguments.per.empty() || arguments.per == "run" || arguments.per == "stage")
        return {};
    const auto by = analysis::normalisationFrom("per-" + arguments.per);
    if (!by)
        return usage("There is no division '" + arguments.per
            + "' of a comparison; there are run, stage, gpu, node and token.");
    query.normalisation = *by;
    return {};
}

Error noQuantity(const std::string& key) {
    std::string list;
    for (const auto& quantity : analysis::comparedQuantities())
        list += (list.empty() ? "" : ", ") + quantity.key;
    return usage("There is no quantity '" + key + "'; there are " + list + ".");
}

// What --metric and --statistic mean depends on the kind.
Status applyMetric(
    const Kind& kind, const FigureArguments& arguments, plot::ComparisonQuery& query) {
    if (kind.key == "comparison") {
        for (const auto& key : arguments.metrics) {
            if (!analysis::quantityIndex(key))
                return noQuantity(key);
        }
        query.quantities = arguments.metrics;
        return {};
    }
    if (!arguments.metrics.empty()) {
        query.heatMetric = arguments.metrics.front();
        query.curveMetric = arguments.metrics.front();
        query.heatStatistic = plot::usualStatistic(query.heatMetric);
    }
    if (arguments.statistic.empty())
        return {};
    const auto statistic = plot::figureStatisticFromString(arguments.statistic);
    if (!statistic)
        return usage("There is no statistic '" + arguments.statistic
            + "'; there are mean, peak, p99, min, total and energy.");
    query.heatStatistic = *statistic;
    return {};
}

// What is drawn, and how.
struct Wanted {
    plot::ComparisonQuery query;
    app::ComparisonChoice choice;
    std::vector<std::string> notes;
};

// The kind's panels, but those of the saved board.
Result<Wanted> savedOnes(
    const Kind& kind, const FigureArguments& arguments, const store::Store& store) {
    if (!arguments.runs.empty())
        return usage("--saved brings its own runs; leave --run out, or --saved.");
    const auto saved = app::savedComparison(store, arguments.saved);
    if (!saved.hasValue())
        return saved.error();
    const auto& settings = saved.value().settings;
    Wanted wanted{app::queryOf(settings, saved.value().runs),
        {kind.panels.empty() ? settings.panels : kind.panels, settings.stacked, settings.perStage},
        saved.value().notes};
    if (wanted.query.runs.size() < 2)
        return Error{ErrorCode::NotFound,
            "Of the runs of '" + arguments.saved + "' fewer than two are left to compare.", {}};
    return wanted;
}

Result<Wanted> chosenOnes(
    const Kind& kind, const FigureArguments& arguments, const store::Store& store) {
    const auto runs = selectRuns(store, arguments.runs);
    if (!runs.hasValue())
        return runs.error();
    Wanted wanted{{}, {kind.panels, false, false}, {}};
    for (const Run& run : runs.value())
        wanted.query.runs.push_back(run.id);
    if (wanted.query.runs.size() < 2)
        return usage("A comparison needs two runs: give --run twice or more.");
    wanted.query.heatStatistic = plot::usualStatistic(wanted.query.heatMetric);
    return wanted;
}

Result<Wanted> wantedOf(
    const Kind& kind, const FigureArguments& arguments, const store::Store& store) {
    auto chosen = arguments.saved.empty() ? chosenOnes(kind, arguments, store)
                                          : savedOnes(kind, arguments, store);
    if (!chosen.hasValue())
        return chosen;
    Wanted& wanted = chosen.value();
    plot::ComparisonQuery& query = wanted.query;
    query.wholeRun = query.wholeRun || arguments.wholeRun;
    query.stretched = query.stretched || arguments.stretched;
    query.withCurves = shows(kind, ComparisonPanel::Curves);
    query.withTracks = shows(kind, ComparisonPanel::Tracks);
    if (arguments.iteration) {
        query.alignment = plot::ComparisonAlignment::Iteration;
        query.iteration = *arguments.iteration;
    } else if (arguments.wholeRun) {
        query.alignment = plot::ComparisonAlignment::Start;
    }
    if (!arguments.sortedBy.empty()) {
        if (!analysis::quantityIndex(arguments.sortedBy))
            return noQuantity(arguments.sortedBy);
        query.sortedBy = arguments.sortedBy;
    }
    for (const Status& status : {applyPer(arguments, query), applyMetric(kind, arguments, query)}) {
        if (!status.hasValue())
            return status.error();
    }
    wanted.choice.stacked = wanted.choice.stacked || arguments.stacked;
    wanted.choice.perStage = wanted.choice.perStage || arguments.per == "stage";
    return chosen;
}

bool hasAny(const plot::ComparisonData& data, const Kind& kind) {
    return std::any_of(
        plot::kComparisonPanels.begin(), plot::kComparisonPanels.end(), [&](ComparisonPanel panel) {
            const bool isText
                = panel == ComparisonPanel::Verdict || panel == ComparisonPanel::Reasons;
            return !isText && shows(kind, panel) && data.has(panel);
        });
}

Error nothingOf(const plot::ComparisonData& data, const Kind& kind) {
    std::string message = data.isEmpty()
        ? data.emptyText
        : "The runs have nothing that a figure '" + std::string(kind.key) + "' could show.";
    for (const auto& note : data.notes)
        message += " " + note;
    return {ErrorCode::NotFound, message, {}};
}

app::FigureOptions described(const store::Store& store, const plot::ComparisonData& data,
    const app::FigureOptions& options) {
    app::FigureOptions complete = options;
    std::vector<std::pair<RunId, std::string>> runs;
    for (const auto& run : data.runs)
        runs.emplace_back(run.named.id, run.named.name);
    complete.metadata.title = QString::fromStdString(data.title);
    complete.metadata = app::describedBy(store, runs, complete.metadata);
    return complete;
}

} // namespace

std::string runComparisonKinds() {
    std::string list;
    for (const auto& kind : kinds())
        list += (list.empty() ? "" : ", ") + std::string(kind.key);
    return list;
}

bool isRunComparison(std::string_view kind) {
    return findKind(kind) != nullptr;
}

Result<QStringList> writeRunComparison(
    FigureArguments& arguments, const app::FigureOptions& options, const Console& console) {
    const Kind& kind = *findKind(arguments.kind);
    const auto store = openDatabase(arguments.database);
    if (!store.hasValue())
        return store.error();
    const auto wanted = wantedOf(kind, arguments, store.value());
    if (!wanted.hasValue())
        return wanted.error();
    const auto progress = [&console](const ProgressState&) { return !console.isCancelled(); };
    auto data = figures::loadComparison(store.value(), wanted.value().query, nullptr, progress);
    if (!data.hasValue())
        return data.error();
    if (!hasAny(data.value(), kind))
        return nothingOf(data.value(), kind);
    auto& notes = data.value().notes;
    notes.insert(notes.begin(), wanted.value().notes.begin(), wanted.value().notes.end());
    auto written = app::exportComparison(data.value(), wanted.value().choice,
        QString::fromStdString(arguments.out), described(store.value(), data.value(), options));
    if (!written.hasValue())
        return written;
    if (arguments.csv.empty())
        arguments.csv = std::filesystem::path(arguments.out).replace_extension(".csv").string();
    const Status numbers = app::writeFile(QString::fromStdString(arguments.csv),
        QByteArray::fromStdString(plot::comparisonCsv(data.value(), kind.panels)));
    if (!numbers.hasValue())
        return numbers.error();
    return written;
}

} // namespace trainscope::cli
