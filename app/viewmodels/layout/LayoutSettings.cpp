#include "app/viewmodels/layout/LayoutSettings.h"

#include "app/viewmodels/text/Texts.h"
#include "core/figures/layout/LayoutFigure.h"

namespace trainscope::app {
namespace {

using layout::CommunicatorKind;
using plot::RankColour;

struct ColourRow {
    RankColour by;
    std::string metric; // with Value
    QString title;
};

const figures::Option& wordsOf(std::string_view name) {
    return figures::layoutOptions().find(name)->words;
}

// By the metrics that there are, and by groups that the layout has.
std::vector<ColourRow> colourRows(const LayoutChoices& choices) {
    std::vector<ColourRow> rows;
    for (const auto& metric : choices.metrics)
        rows.push_back({RankColour::Value, metric.key, QString::fromStdString(metric.title)});
    for (const auto& group : wordsOf("colour").choices) {
        const auto by = fromString<plot::RankColour>(group.key).value_or(RankColour::Node);
        const bool isThere = by == RankColour::Node
            || (choices.hasLayout && (by != RankColour::Context || choices.hasContext)
                && (by != RankColour::Expert || choices.hasExperts));
        if (isThere)
            rows.push_back({by, {}, QString::fromStdString(group.title)});
    }
    return rows;
}

struct LitRow {
    std::optional<CommunicatorKind> kind;
    QString title;
};

std::vector<LitRow> litRows(const LayoutChoices& choices) {
    std::vector<LitRow> rows{{std::nullopt, QStringLiteral("All groups")},
        {CommunicatorKind::Tensor, QStringLiteral("Tensor")},
        {CommunicatorKind::Pipeline, QStringLiteral("Pipeline")},
        {CommunicatorKind::Data, QStringLiteral("Data")}};
    if (choices.hasContext)
        rows.push_back({CommunicatorKind::Context, QStringLiteral("Context")});
    if (choices.hasExperts)
        rows.push_back({CommunicatorKind::Expert, QStringLiteral("Expert")});
    return rows;
}

// At the cursor first, then what is known over the run.
std::vector<plot::FigureChoice> statisticsOf(const LayoutSettings& settings) {
    auto all = plot::figureStatistics(settings.metric);
    all.insert(all.begin(), {"", QStringLiteral("at the cursor").toStdString()});
    return all;
}

std::optional<CommunicatorKind> litFrom(const QString& key) {
    for (const auto& info : layout::communicatorKinds()) {
        if (textOf(info.key) == key)
            return info.kind;
    }
    return std::nullopt;
}

bool has(const std::vector<plot::FigureChoice>& choices, std::string_view key) {
    return std::ranges::any_of(
        choices, [key](const plot::FigureChoice& choice) { return choice.key == key; });
}

using LayoutSetting = Setting<LayoutSettings, LayoutChoices>;

LayoutSetting shownRunSetting() {
    return {QStringLiteral("run"), {}, {},
        [](const auto&, const auto& choices) -> std::optional<SettingControl> {
            if (choices.runs.size() < 2)
                return std::nullopt;
            SettingControl control{
                QStringLiteral("Run"), QStringLiteral("One of the runs chosen on the left")};
            for (const QString& run : choices.runs)
                control.choices.push_back({run, run});
            control.current = choices.run;
            return control;
        }};
}

// A choice of a metric is both: "value gpu_power".
LayoutSetting colourSetting() {
    return {QStringLiteral("colour"), [](const auto& all) { return textOf(toString(all.by)); },
        [](auto& all, const auto& value) {
            const QStringList words = value.toString().split(QLatin1Char(' '));
            all.by = fromString<plot::RankColour>(words.front().toStdString()).value_or(all.by);
            if (words.size() > 1)
                all.metric = words[1].toStdString();
        },
        [](const auto& all, const auto& choices) -> std::optional<SettingControl> {
            SettingControl control{textOf(wordsOf("colour").title), textOf(wordsOf("colour").tip)};
            for (const ColourRow& row : colourRows(choices)) {
                const bool isValue = row.by == RankColour::Value;
                if (row.by == all.by && (!isValue || row.metric == all.metric))
                    control.current = static_cast<int>(control.choices.size());
                const QString by = textOf(toString(row.by));
                control.choices.push_back(
                    {row.title, isValue ? by + QLatin1Char(' ') + textOf(row.metric) : by});
            }
            return control;
        }};
}

LayoutSetting rankMetricSetting() {
    return {QStringLiteral("metric"), [](const auto& all) { return textOf(all.metric); },
        [](auto& all, const auto& value) {
            if (!value.toString().isEmpty())
                all.metric = value.toString().toStdString();
        }};
}

LayoutSetting rankStatisticSetting() {
    return {QStringLiteral("statistic"),
        [](const auto& all) {
            return all.statistic ? textOf(toString(*all.statistic)) : QString();
        },
        [](auto& all, const auto& value) {
            all.statistic = fromString<plot::FigureStatistic>(value.toString().toStdString());
        },
        [](const auto& all, const auto& choices) -> std::optional<SettingControl> {
            if (all.by != RankColour::Value || choices.metrics.empty())
                return std::nullopt;
            return optionControl(wordsOf("statistic"), statisticsOf(all));
        }};
}

QString litKey(const std::optional<CommunicatorKind>& kind) {
    return kind ? textOf(infoOf(*kind).key) : QString();
}

LayoutSetting litSetting() {
    return {QStringLiteral("lit"), [](const auto& all) { return litKey(all.lit); },
        [](auto& all, const auto& value) { all.lit = litFrom(value.toString()); },
        [](const auto&, const auto& choices) -> std::optional<SettingControl> {
            if (!choices.hasLayout)
                return std::nullopt;
            SettingControl control{
                QStringLiteral("Groups"), QStringLiteral("Which groups of a rank light up")};
            for (const LitRow& row : litRows(choices))
                control.choices.push_back({row.title, litKey(row.kind)});
            return control;
        }};
}

LayoutSetting wholeStepSetting() {
    return {QStringLiteral("whole_step"), [](const auto& all) { return all.wholeStep; },
        [](auto& all, const auto& value) { all.wholeStep = value.toBool(); }};
}

} // namespace

void fitMetric(const std::vector<plot::FigureChoice>& metrics, std::string& metric,
    std::optional<plot::FigureStatistic>& statistic) {
    if (metrics.empty())
        return;
    const bool isThere = has(metrics, metric);
    if (!isThere)
        metric = metrics.front().key;
    if (statistic && !(isThere && has(plot::figureStatistics(metric), toString(*statistic))))
        statistic = plot::usualStatistic(metric);
}

const LayoutSettingList& layoutSettings() {
    static const LayoutSettingList list({shownRunSetting(), colourSetting(), rankMetricSetting(),
        rankStatisticSetting(), litSetting(), wholeStepSetting()});
    return list;
}

LayoutSettings fittedLayout(const LayoutSettings& settings, const LayoutChoices& choices) {
    LayoutSettings fitted = settings;
    fitMetric(choices.metrics, fitted.metric, fitted.statistic);
    const auto colours = colourRows(choices);
    if (std::ranges::none_of(
            colours, [&fitted](const ColourRow& row) { return row.by == fitted.by; }))
        fitted.by = RankColour::Node;
    const auto lit = litRows(choices);
    if (std::ranges::none_of(lit, [&fitted](const LitRow& row) { return row.kind == fitted.lit; }))
        fitted.lit.reset();
    return fitted;
}

} // namespace trainscope::app
