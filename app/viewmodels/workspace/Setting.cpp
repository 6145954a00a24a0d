#include "app/viewmodels/workspace/Setting.h"

#include "app/viewmodels/text/Texts.h"
#include "core/figures/runs/RunFigures.h"

#include <fmt/ranges.h>

namespace trainscope::app {

namespace {

// Longest choice, for which the control is made wide enough.
QString longestChoiceOf(const SettingRow& row) {
    const auto longest = std::ranges::max_element(
        row.choices, [](const QString& a, const QString& b) { return a.size() < b.size(); });
    return longest == row.choices.end() ? QString() : *longest;
}

using plot::FigureChoice;
using plot::FigureKind;
using plot::FigureQuery;
using View = Views::View;

// The views of figures with the kinds that each shows, the usual one first.
constexpr std::array kKindViews{std::pair{FigureKind::Heatmap, View::Heatmap},
    std::pair{FigureKind::ParallelismSweep, View::Sweep},
    std::pair{FigureKind::OptimizationSweep, View::Sweep},
    std::pair{FigureKind::MicrobatchSweep, View::Sweep},
    std::pair{FigureKind::Spectrum, View::Spectrum}, std::pair{FigureKind::History, View::History}};

bool isSweep(FigureKind kind) {
    return viewOf(kind) == View::Sweep;
}

std::string titleOf(const std::vector<FigureChoice>& metrics, const std::string& metric) {
    const auto found = std::ranges::find(metrics, metric, &FigureChoice::key);
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
        all.push_back({fmt::format("{}", fmt::join(query.metrics, ",")),
            titles.join(QStringLiteral(", ")).toStdString()});
    }
    if (isSweep(query.kind))
        all.push_back({"", QStringLiteral("Temperature, power, clock").toStdString()});
    all.insert(all.end(), metrics.begin(), metrics.end());
    return all;
}

using FigureSetting = Setting<FigureSettings, std::vector<FigureChoice>>;

const figures::OptionOf<FigureQuery>* offeredOption(FigureKind kind, std::string_view name) {
    return figures::runOptions(kind).find(name);
}

// An option of `kind` and maybe of others, whose control is there where the shown kind has it.
FigureSetting runSetting(FigureKind kind, std::string_view name) {
    auto setting = settingOf<FigureSettings, std::vector<FigureChoice>>(
        *offeredOption(kind, name), &FigureSettings::query);
    setting.control = [name](const auto& all, const auto&) -> std::optional<SettingControl> {
        const auto* shown = offeredOption(all.query.kind, name);
        return shown == nullptr ? std::nullopt : optionControl(*shown, all.query);
    };
    return setting;
}

FigureSetting runsSetting() {
    return {QStringLiteral("runs"), [](const auto& all) { return all.shownRunsOnly; },
        [](auto& all, const auto& value) { all.shownRunsOnly = value.toBool(); },
        [](const auto&, const auto&) -> std::optional<SettingControl> {
            return SettingControl{QStringLiteral("Runs"),
                QStringLiteral("The runs of the database, or those chosen on the left"),
                {{QStringLiteral("All runs"), false}, {QStringLiteral("Shown runs"), true}}};
        },
        QStringLiteral("shown_runs_only")};
}

FigureSetting kindSetting() {
    return {QStringLiteral("against"),
        [](const auto& all) { return textOf(toString(all.query.kind)); },
        [](auto& all, const auto& value) {
            all.query.kind = fromString<plot::FigureKind>(value.toString().toStdString())
                                 .value_or(all.query.kind);
        },
        [](const auto& all, const auto&) -> std::optional<SettingControl> {
            if (!isSweep(all.query.kind))
                return std::nullopt;
            const auto kind = [](FigureKind of) { return textOf(toString(of)); };
            return SettingControl{QStringLiteral("Against"),
                QStringLiteral("The setting in which the runs differ"),
                {{QStringLiteral("Layout"), kind(FigureKind::ParallelismSweep)},
                    {QStringLiteral("Optimisation"), kind(FigureKind::OptimizationSweep)},
                    {QStringLiteral("Micro-batch"), kind(FigureKind::MicrobatchSweep)}}};
        },
        QStringLiteral("kind")};
}

// The choices are those of the database; another metric has its usual statistic.
FigureSetting metricSetting() {
    FigureSetting setting = runSetting(FigureKind::Heatmap, "metric");
    setting.set = [take = setting.set](auto& all, const auto& value) {
        take(all, value);
        all.query.statistic.reset();
    };
    setting.control = [control = setting.control](const auto& all, const auto& metrics) {
        auto shown = control(all, metrics);
        if (shown)
            shown->choices = settingChoices(metricsFor(all.query, metrics));
        return shown;
    };
    return setting;
}

FigureSetting optimisationSetting() {
    FigureSetting setting = runSetting(FigureKind::ParallelismSweep, "optimization");
    setting.keptAs = QStringLiteral("optimisation");
    return setting;
}

} // namespace

SettingRow choiceRow(
    const char* key, const QString& label, QStringList choices, int current, const QString& tip) {
    return {QLatin1String(key), label, std::move(choices), current, tip, false};
}

std::vector<SettingChoice> settingChoices(const std::vector<plot::FigureChoice>& choices) {
    std::vector<SettingChoice> made;
    for (const auto& choice : choices)
        made.push_back({QString::fromStdString(choice.title), QString::fromStdString(choice.key)});
    return made;
}

QJsonValue optionValue(const figures::Option& words, const figures::Texts& texts) {
    if (words.value.empty())
        return !texts.empty();
    return listOf(texts).join(QLatin1Char(','));
}

figures::Texts optionTexts(const figures::Option& words, const QJsonValue& value) {
    if (words.value.empty())
        return value.toBool() ? figures::Texts{{}} : figures::Texts();
    // Choices were remembered by their places once.
    if (value.isDouble()) {
        const int place = value.toInt();
        const bool isOne = place >= 0 && place < static_cast<int>(words.choices.size());
        return isOne ? figures::Texts{words.choices[static_cast<std::size_t>(place)].key}
                     : figures::Texts();
    }
    const QString text = value.toString();
    const QStringList all
        = words.isList ? text.split(QLatin1Char(','), Qt::SkipEmptyParts) : QStringList(text);
    figures::Texts texts;
    for (const QString& one : all) {
        if (!one.isEmpty())
            texts.push_back(one.toStdString());
    }
    return texts;
}

QString optionKey(const figures::Option& words) {
    return textOf(words.name).replace(QLatin1Char('-'), QLatin1Char('_'));
}

std::optional<SettingControl> optionControl(
    const figures::Option& words, const std::vector<plot::FigureChoice>& choices) {
    if (words.title.empty())
        return std::nullopt;
    if (words.value.empty())
        return switchControl(textOf(words.title), textOf(words.tip));
    SettingControl control{textOf(words.title), textOf(words.tip)};
    for (const auto& choice : settingChoices(choices)) {
        if (!choice.title.isEmpty())
            control.choices.push_back(choice);
    }
    return control;
}

SettingListModel::SettingListModel(QObject* parent)
    : RowListModel({{"label", &SettingRow::label}, {"key", &SettingRow::key},
                       {"choices", &SettingRow::choices}, {"current", &SettingRow::current},
                       {"tip", &SettingRow::tip}, {"isSwitch", &SettingRow::isSwitch},
                       {"longest", longestChoiceOf}},
        parent) { }

std::optional<View> viewOf(FigureKind kind) {
    const auto* found
        = std::ranges::find(kKindViews, kind, [](const auto& row) { return row.first; });
    return found == kKindViews.end() ? std::nullopt : std::optional(found->second);
}

FigureSettings defaultSettings(View view) {
    FigureSettings settings;
    const auto* first
        = std::ranges::find(kKindViews, view, [](const auto& row) { return row.second; });
    if (first != kKindViews.end())
        settings.query.kind = first->first;
    settings.shownRunsOnly = view != View::History;
    if (view == View::Heatmap)
        settings.query.metrics = {metric::kGpuTemperature};
    return settings;
}

const FigureSettingList& figureSettings() {
    static const FigureSettingList list({runsSetting(), kindSetting(), metricSetting(),
        runSetting(FigureKind::Heatmap, "statistic"), optimisationSetting(),
        runSetting(FigureKind::ParallelismSweep, "normalise"),
        runSetting(FigureKind::Heatmap, "log"), runSetting(FigureKind::Heatmap, "whole-run"),
        runSetting(FigureKind::Heatmap, "model")});
    return list;
}

FigureSettings restoredSettings(View view, const QJsonObject& json) {
    const auto kind
        = fromString<plot::FigureKind>(json.value(QLatin1String("kind")).toString().toStdString());
    return kind && viewOf(*kind) == view ? figureSettings().restored({}, json)
                                         : defaultSettings(view);
}

} // namespace trainscope::app
