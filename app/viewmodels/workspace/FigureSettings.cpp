#include "app/viewmodels/workspace/FigureSettings.h"

#include "app/viewmodels/text/Translated.h"
#include "core/model/Metric.h"

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

using FigureSetting = Setting<FigureSettings, std::vector<FigureChoice>>;

QString settingText(const std::string& text) {
    return QString::fromStdString(text);
}

// A text of the query that no control changes unless one is given.
FigureSetting textSetting(const char* key, std::string FigureQuery::*text) {
    return {QLatin1String(key), [text](const auto& all) { return settingText(all.query.*text); },
        [text](auto& all, const auto& value) { all.query.*text = value.toString().toStdString(); }};
}

FigureSetting flagSetting(const char* key, bool FigureQuery::*flag) {
    return {QLatin1String(key), [flag](const auto& all) { return all.query.*flag; },
        [flag](auto& all, const auto& value) { all.query.*flag = value.toBool(); }};
}

FigureSetting runsSetting() {
    return {QStringLiteral("runs"), [](const auto& all) { return all.shownRunsOnly; },
        [](auto& all, const auto& value) { all.shownRunsOnly = value.toBool(); },
        [](const auto&, const auto&) -> std::optional<SettingControl> {
            return SettingControl{translated("Runs"),
                translated("The runs of the database, or those chosen on the left"),
                {{translated("All runs"), false}, {translated("Shown runs"), true}}};
        },
        QStringLiteral("shown_runs_only")};
}

FigureSetting perSetting() {
    return {QStringLiteral("per"),
        [](const auto& all) { return textOf(kPer[static_cast<std::size_t>(all.query.per)]); },
        [](auto& all, const auto& value) {
            FigureQuery& query = all.query;
            const auto at = std::find(kPer.begin(), kPer.end(), value.toString().toStdString());
            query.per
                = at == kPer.end() ? KernelsPer::Run : static_cast<KernelsPer>(at - kPer.begin());
            if (viewOf(query.kind) == View::Kernels)
                query.kind = query.per == KernelsPer::Stage ? FigureKind::StageBreakdown
                                                            : FigureKind::Kernels;
        },
        [](const auto& all, const auto&) -> std::optional<SettingControl> {
            if (viewOf(all.query.kind) != View::Kernels)
                return std::nullopt;
            SettingControl control{translated("A bar for each"), {},
                {{translated("Run"), textOf(kPer[0])},
                    {translated("Pipeline stage"), textOf(kPer[1])},
                    {translated("Rank"), textOf(kPer[2])}}};
            if (all.query.kind == FigureKind::StageBreakdown)
                control.current = 1;
            return control;
        }};
}

FigureSetting kindSetting() {
    return {QStringLiteral("against"),
        [](const auto& all) { return textOf(plot::toString(all.query.kind)); },
        [](auto& all, const auto& value) {
            all.query.kind = plot::figureKindFromString(value.toString().toStdString())
                                 .value_or(all.query.kind);
        },
        [](const auto& all, const auto&) -> std::optional<SettingControl> {
            if (!isSweep(all.query.kind))
                return std::nullopt;
            const auto kind = [](FigureKind of) { return textOf(plot::toString(of)); };
            return SettingControl{translated("Against"), translated("What the runs differ in"),
                {{translated("Layout"), kind(FigureKind::ParallelismSweep)},
                    {translated("Optimisation"), kind(FigureKind::OptimizationSweep)},
                    {translated("Micro-batch"), kind(FigureKind::MicrobatchSweep)}}};
        },
        QStringLiteral("kind")};
}

bool offersMetric(const FigureSettings& all) {
    return isSweep(all.query.kind) || all.query.kind == FigureKind::Heatmap;
}

FigureSetting metricSetting() {
    return {QStringLiteral("metric"), [](const auto& all) { return metricKey(all.query); },
        [](auto& all, const auto& value) {
            all.query.metrics = metricsOf(value.toString());
            all.query.statistic.reset();
        },
        [](const auto& all, const auto& metrics) -> std::optional<SettingControl> {
            if (!offersMetric(all))
                return std::nullopt;
            return SettingControl{
                translated("Metric"), {}, settingChoices(metricsFor(all.query, metrics))};
        }};
}

FigureSetting statisticSetting() {
    return {QStringLiteral("statistic"),
        [](const auto& all) { return settingText(statisticKey(all.query)); },
        [](auto& all, const auto& value) {
            all.query.statistic = plot::figureStatisticFromString(value.toString().toStdString());
        },
        [](const auto& all, const auto&) -> std::optional<SettingControl> {
            if (!offersMetric(all))
                return std::nullopt;
            return SettingControl{
                translated("Statistic"), {}, settingChoices(statisticsFor(all.query))};
        }};
}

FigureSetting optimisationSetting() {
    FigureSetting setting = textSetting("optimisation", &FigureQuery::optimisation);
    setting.control = [](const auto& all, const auto&) -> std::optional<SettingControl> {
        if (!isSweep(all.query.kind) || all.query.kind == FigureKind::OptimizationSweep)
            return std::nullopt;
        return SettingControl{translated("Runs with"), {},
            {{translated("Any optimisation"), QString(QLatin1String(""))},
                {translated("No optimisation"), QStringLiteral("base")},
                {translated("Overlap"), QStringLiteral("cc")},
                {translated("Recomputation"), QStringLiteral("act")},
                {translated("Overlap and recomputation"), QStringLiteral("cc+act")}}};
    };
    return setting;
}

FigureSetting categoriesSetting() {
    FigureSetting setting = textSetting("categories", &FigureQuery::categories);
    setting.control = [](const auto& all, const auto&) -> std::optional<SettingControl> {
        if (viewOf(all.query.kind) != View::Kernels)
            return std::nullopt;
        return SettingControl{translated("Categories"),
            translated("The table that tells the kernels apart"),
            {{translated("Trainscope"), QString(QLatin1String(""))},
                {translated("CharLLM-PPT"), QStringLiteral("charllm")}}};
    };
    return setting;
}

FigureSetting normaliseSetting() {
    FigureSetting setting = flagSetting("normalise", &FigureQuery::normalise);
    setting.control = [](const auto& all, const auto&) -> std::optional<SettingControl> {
        if (isSweep(all.query.kind))
            return switchControl(
                translated("Relative"), translated("Efficiency relative to the first run"));
        if (viewOf(all.query.kind) == View::Kernels)
            return switchControl(
                translated("Shares"), translated("Every bar as shares of its sum"));
        return std::nullopt;
    };
    return setting;
}

FigureSetting logSetting() {
    FigureSetting setting = flagSetting("log", &FigureQuery::logScale);
    setting.control = [](const auto& all, const auto&) -> std::optional<SettingControl> {
        if (all.query.kind == FigureKind::Heatmap)
            return switchControl(translated("Log"), translated("Logarithmic colours, for bytes"));
        if (all.query.kind == FigureKind::Spectrum)
            return switchControl(translated("Log"), translated("Logarithmic amplitudes"));
        return std::nullopt;
    };
    return setting;
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
        break;
    default:
        break;
    }
    return settings;
}

const FigureSettingList& figureSettings() {
    static const FigureSettingList list({runsSetting(), perSetting(), kindSetting(),
        metricSetting(), statisticSetting(), optimisationSetting(), categoriesSetting(),
        normaliseSetting(), logSetting(), flagSetting("whole_run", &FigureQuery::wholeRun),
        textSetting("model", &FigureQuery::model)});
    return list;
}

FigureSettings restoredSettings(View view, const QJsonObject& json) {
    const auto kind
        = plot::figureKindFromString(json.value(QLatin1String("kind")).toString().toStdString());
    return kind && viewOf(*kind) == view ? figureSettings().restored({}, json)
                                         : defaultSettings(view);
}

} // namespace trainscope::app
