#include "app/viewmodels/workspace/FigureSettings.h"

#include "app/viewmodels/text/Translated.h"
#include "core/model/Metric.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

namespace trainscope::app {
namespace {

using plot::FigureChoice;
using plot::FigureKind;
using plot::FigureQuery;
using plot::KernelsPer;
using View = Views::View;

constexpr std::array kSweeps{
    FigureKind::ParallelismSweep, FigureKind::OptimizationSweep, FigureKind::MicrobatchSweep};
constexpr std::array<const char*, 3> kPer{"run", "stage", "rank"};
constexpr std::array<const char*, 2> kTables{"", "charllm"};
constexpr std::array<const char*, 5> kOptimisations{"", "base", "cc", "act", "cc+act"};

bool isSweep(FigureKind kind) {
    return std::find(kSweeps.begin(), kSweeps.end(), kind) != kSweeps.end();
}

// Several metrics at once have their keys joined by commas.
QString metricKey(const FigureQuery& query) {
    QStringList keys;
    for (const auto& metric : query.metrics)
        keys.append(QString::fromStdString(metric));
    return keys.join(QLatin1Char(','));
}

std::vector<std::string> metricsOf(const QString& key) {
    std::vector<std::string> metrics;
    for (const auto& metric : key.split(QLatin1Char(','), Qt::SkipEmptyParts))
        metrics.push_back(metric.toStdString());
    return metrics;
}

std::string titleOf(const std::vector<FigureChoice>& metrics, const std::string& metric) {
    const auto found = std::find_if(metrics.begin(), metrics.end(),
        [&metric](const FigureChoice& choice) { return choice.key == metric; });
    return found == metrics.end() ? metric : found->title;
}

// Sweeps have the usual metrics before all others; a pair that a preset has chosen comes first.
std::vector<FigureChoice> metricsFor(
    const FigureQuery& query, const std::vector<FigureChoice>& metrics) {
    std::vector<FigureChoice> all;
    if (query.metrics.size() > 1) {
        QStringList titles;
        for (const auto& metric : query.metrics)
            titles.append(QString::fromStdString(titleOf(metrics, metric)));
        all.push_back(
            {metricKey(query).toStdString(), titles.join(QStringLiteral(", ")).toStdString()});
    }
    if (isSweep(query.kind))
        all.push_back({"", translated("Temperature, power, clock").toStdString()});
    all.insert(all.end(), metrics.begin(), metrics.end());
    return all;
}

// Absent in the query is the first: the metric's usual one, for sweeps mean beside peak.
std::vector<FigureChoice> statisticsFor(const FigureQuery& query) {
    auto statistics = plot::figureStatistics(
        query.metrics.empty() ? std::string(metric::kGpuPower) : query.metrics.front());
    if (isSweep(query.kind))
        statistics.insert(statistics.begin(), {"", translated("Mean and peak").toStdString()});
    return statistics;
}

std::string statisticKey(const FigureQuery& query) {
    return query.statistic ? std::string(plot::toString(*query.statistic)) : std::string();
}

SettingRow metricRow(const FigureQuery& query, const std::vector<FigureChoice>& metrics) {
    const auto all = metricsFor(query, metrics);
    return choiceRow("metric", translated("Metric"), titlesOf(all),
        indexOf(all, metricKey(query).toStdString()));
}

SettingRow statisticRow(const FigureQuery& query) {
    const auto all = statisticsFor(query);
    return choiceRow(
        "statistic", translated("Statistic"), titlesOf(all), indexOf(all, statisticKey(query)));
}

void addSweepRows(const FigureQuery& query, const std::vector<FigureChoice>& metrics,
    std::vector<SettingRow>& rows) {
    rows.push_back(choiceRow("against", translated("Against"),
        {translated("Layout"), translated("Optimisation"), translated("Micro-batch")},
        indexIn(kSweeps, query.kind), translated("What the runs differ in")));
    rows.push_back(metricRow(query, metrics));
    rows.push_back(statisticRow(query));
    if (query.kind != FigureKind::OptimizationSweep)
        rows.push_back(choiceRow("optimisation", translated("Runs with"),
            {translated("Any optimisation"), translated("No optimisation"), translated("Overlap"),
                translated("Recomputation"), translated("Overlap and recomputation")},
            indexIn(kOptimisations, query.optimisation)));
    rows.push_back(switchRow("normalise", translated("Relative"), query.normalise,
        translated("Efficiency relative to the first run")));
}

void addKernelRows(const FigureQuery& query, std::vector<SettingRow>& rows) {
    const int per = query.kind == FigureKind::StageBreakdown ? 1 : static_cast<int>(query.per);
    rows.push_back(choiceRow("per", translated("A bar for each"),
        {translated("Run"), translated("Pipeline stage"), translated("Rank")}, per));
    rows.push_back(choiceRow("categories", translated("Categories"),
        {translated("Trainscope"), translated("CharLLM-PPT")}, indexIn(kTables, query.categories),
        translated("The table that tells the kernels apart")));
    rows.push_back(switchRow("normalise", translated("Shares"), query.normalise,
        translated("Every bar as shares of its sum")));
}

std::string keyAt(const std::vector<FigureChoice>& choices, int choice) {
    return choices[static_cast<std::size_t>(choice)].key;
}

void choosePer(FigureQuery& query, int choice) {
    query.per = static_cast<KernelsPer>(choice);
    query.kind = query.per == KernelsPer::Stage ? FigureKind::StageBreakdown : FigureKind::Kernels;
}

void chooseMetric(FigureQuery& query, const std::string& metric) {
    query.metrics = metricsOf(QString::fromStdString(metric));
    query.statistic.reset();
}

} // namespace

View viewOf(FigureKind kind) {
    switch (kind) {
    case FigureKind::Heatmap:
        return View::Heatmap;
    case FigureKind::ParallelismSweep:
    case FigureKind::OptimizationSweep:
    case FigureKind::MicrobatchSweep:
        return View::Sweep;
    case FigureKind::Kernels:
    case FigureKind::StageBreakdown:
        return View::Kernels;
    case FigureKind::Spectrum:
        break;
    }
    return View::Spectrum;
}

FigureSettings defaultSettings(View view) {
    FigureSettings settings;
    switch (view) {
    case View::Heatmap:
        settings.query.metrics = {metric::kGpuTemperature};
        break;
    case View::Kernels:
        settings.query.kind = FigureKind::Kernels;
        break;
    case View::Sweep:
        settings.query.kind = FigureKind::ParallelismSweep;
        break;
    case View::Spectrum:
        settings.query.kind = FigureKind::Spectrum;
        settings.shownRunsOnly = true;
        break;
    default:
        break;
    }
    return settings;
}

QJsonObject encodeSettings(const FigureSettings& settings) {
    const FigureQuery& query = settings.query;
    return {{QStringLiteral("kind"), textOf(plot::toString(query.kind))},
        {QStringLiteral("shown_runs_only"), settings.shownRunsOnly},
        {QStringLiteral("metric"), metricKey(query)},
        {QStringLiteral("statistic"), textOf(statisticKey(query))},
        {QStringLiteral("log"), query.logScale}, {QStringLiteral("whole_run"), query.wholeRun},
        {QStringLiteral("per"), textOf(kPer[static_cast<std::size_t>(query.per)])},
        {QStringLiteral("normalise"), query.normalise},
        {QStringLiteral("categories"), textOf(query.categories)},
        {QStringLiteral("model"), textOf(query.model)},
        {QStringLiteral("optimisation"), textOf(query.optimisation)}};
}

FigureSettings decodeSettings(View view, const QJsonObject& json) {
    const auto text = [&json](const char* key) {
        return json.value(QLatin1String(key)).toString().toStdString();
    };
    const auto flag = [&json](const char* key) { return json.value(QLatin1String(key)).toBool(); };
    const auto kind = plot::figureKindFromString(text("kind"));
    if (!kind || viewOf(*kind) != view)
        return defaultSettings(view);
    FigureSettings settings;
    FigureQuery& query = settings.query;
    query.kind = *kind;
    settings.shownRunsOnly = flag("shown_runs_only");
    if (const auto metric = json.value(QLatin1String("metric")).toString(); !metric.isEmpty())
        query.metrics = metricsOf(metric);
    query.statistic = plot::figureStatisticFromString(text("statistic"));
    query.logScale = flag("log");
    query.wholeRun = flag("whole_run");
    query.per = static_cast<KernelsPer>(indexIn(kPer, text("per")));
    query.normalise = flag("normalise");
    query.categories = text("categories");
    query.model = text("model");
    query.optimisation = text("optimisation");
    return settings;
}

std::vector<SettingRow> settingRows(
    View view, const FigureSettings& settings, const std::vector<FigureChoice>& metrics) {
    const FigureQuery& query = settings.query;
    std::vector<SettingRow> rows{choiceRow("runs", translated("Runs"),
        {translated("All runs"), translated("Shown runs")}, settings.shownRunsOnly ? 1 : 0,
        translated("The runs of the database, or those chosen on the left"))};
    if (view == View::Heatmap) {
        rows.push_back(metricRow(query, metrics));
        rows.push_back(statisticRow(query));
        rows.push_back(switchRow("log", translated("Log"), query.logScale,
            translated("Logarithmic colours, for bytes")));
    } else if (view == View::Sweep) {
        addSweepRows(query, metrics, rows);
    } else if (view == View::Kernels) {
        addKernelRows(query, rows);
    } else {
        rows.push_back(switchRow(
            "log", translated("Log"), query.logScale, translated("Logarithmic amplitudes")));
    }
    return rows;
}

FigureSettings withSetting(const FigureSettings& settings, const std::vector<FigureChoice>& metrics,
    const QString& key, int choice) {
    FigureSettings changed = settings;
    FigureQuery& query = changed.query;
    if (!canChoose(settingRows(viewOf(query.kind), settings, metrics), key, choice))
        return settings;
    const auto at = static_cast<std::size_t>(choice);
    if (key == QLatin1String("runs"))
        changed.shownRunsOnly = choice == 1;
    else if (key == QLatin1String("metric"))
        chooseMetric(query, keyAt(metricsFor(query, metrics), choice));
    else if (key == QLatin1String("statistic"))
        query.statistic = plot::figureStatisticFromString(keyAt(statisticsFor(query), choice));
    else if (key == QLatin1String("log"))
        query.logScale = choice == 1;
    else if (key == QLatin1String("normalise"))
        query.normalise = choice == 1;
    else if (key == QLatin1String("against"))
        query.kind = kSweeps[at];
    else if (key == QLatin1String("optimisation"))
        query.optimisation = kOptimisations[at];
    else if (key == QLatin1String("per"))
        choosePer(query, choice);
    else if (key == QLatin1String("categories"))
        query.categories = kTables[at];
    return changed;
}

} // namespace trainscope::app
