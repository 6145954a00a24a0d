#include "app/viewmodels/layout/LayoutSettings.h"

#include "app/viewmodels/text/Translated.h"

#include <QCoreApplication>

#include <algorithm>
#include <string_view>

namespace trainscope::app {
namespace {

using layout::CommunicatorKind;
using plot::RankColour;

struct ColourRow {
    RankColour by;
    std::string metric; // with Value
    QString title;
};

std::vector<ColourRow> colourRows(const LayoutChoices& choices) {
    std::vector<ColourRow> rows;
    for (const auto& metric : choices.metrics)
        rows.push_back({RankColour::Value, metric.key, QString::fromStdString(metric.title)});
    rows.push_back({RankColour::Node, {}, translated("Node")});
    if (!choices.hasLayout)
        return rows;
    rows.push_back({RankColour::Pipeline, {}, translated("Pipeline stage")});
    rows.push_back({RankColour::Tensor, {}, translated("Tensor rank")});
    rows.push_back({RankColour::Data, {}, translated("Data replica")});
    if (choices.hasContext)
        rows.push_back({RankColour::Context, {}, translated("Context rank")});
    if (choices.hasExperts)
        rows.push_back({RankColour::Expert, {}, translated("Expert rank")});
    return rows;
}

struct LitRow {
    std::optional<CommunicatorKind> kind;
    QString title;
};

std::vector<LitRow> litRows(const LayoutChoices& choices) {
    std::vector<LitRow> rows{{std::nullopt, translated("All groups")},
        {CommunicatorKind::Tensor, translated("Tensor")},
        {CommunicatorKind::Pipeline, translated("Pipeline")},
        {CommunicatorKind::Data, translated("Data")}};
    if (choices.hasContext)
        rows.push_back({CommunicatorKind::Context, translated("Context")});
    if (choices.hasExperts)
        rows.push_back({CommunicatorKind::Expert, translated("Expert")});
    return rows;
}

// At the cursor first, then what is known over the run.
std::vector<plot::FigureChoice> statisticsOf(const LayoutSettings& settings) {
    auto all = plot::figureStatistics(settings.metric);
    all.insert(all.begin(), {"", translated("at the cursor").toStdString()});
    return all;
}

template <typename Row, typename Same>
SettingRow rowOf(const char* key, const QString& label, const std::vector<Row>& rows, Same isChosen,
    const QString& tip) {
    QStringList titles;
    for (const Row& row : rows)
        titles.append(row.title);
    const auto chosen = std::find_if(rows.begin(), rows.end(), isChosen);
    const auto current = chosen == rows.end() ? 0 : static_cast<int>(chosen - rows.begin());
    return choiceRow(key, label, titles, current, tip);
}

SettingRow statisticRow(const LayoutSettings& settings) {
    const auto all = statisticsOf(settings);
    const auto key = settings.statistic ? plot::toString(*settings.statistic) : std::string_view();
    return choiceRow("statistic", translated("Value"), titlesOf(all), indexOf(all, key),
        translated("At the cursor's time, or over the settled part of the run"));
}

std::optional<CommunicatorKind> litFrom(const QString& key) {
    for (const auto& info : layout::communicatorKinds()) {
        if (textOf(info.key) == key)
            return info.kind;
    }
    return std::nullopt;
}

bool has(const std::vector<plot::FigureChoice>& choices, std::string_view key) {
    return std::any_of(choices.begin(), choices.end(),
        [key](const plot::FigureChoice& choice) { return choice.key == key; });
}

} // namespace

void fitMetric(const std::vector<plot::FigureChoice>& metrics, std::string& metric,
    std::optional<plot::FigureStatistic>& statistic) {
    if (metrics.empty())
        return;
    const bool isThere = has(metrics, metric);
    if (!isThere)
        metric = metrics.front().key;
    if (statistic && !(isThere && has(plot::figureStatistics(metric), plot::toString(*statistic))))
        statistic = plot::usualStatistic(metric);
}

QJsonObject encodeLayout(const LayoutSettings& settings) {
    return {{QStringLiteral("colour"), textOf(plot::toString(settings.by))},
        {QStringLiteral("metric"), QString::fromStdString(settings.metric)},
        {QStringLiteral("statistic"),
            settings.statistic ? textOf(plot::toString(*settings.statistic)) : QString()},
        {QStringLiteral("lit"), settings.lit ? textOf(layout::toString(*settings.lit)) : QString()},
        {QStringLiteral("whole_step"), settings.wholeStep}};
}

LayoutSettings decodeLayout(const QJsonObject& json) {
    const auto text
        = [&json](const char* key) { return json.value(QLatin1String(key)).toString(); };
    LayoutSettings settings;
    if (const auto by = plot::rankColourFromString(text("colour").toStdString()))
        settings.by = *by;
    if (const auto metric = text("metric"); !metric.isEmpty())
        settings.metric = metric.toStdString();
    settings.statistic = plot::figureStatisticFromString(text("statistic").toStdString());
    settings.lit = litFrom(text("lit"));
    settings.wholeStep = json.value(QLatin1String("whole_step")).toBool();
    return settings;
}

std::vector<SettingRow> layoutRows(const LayoutSettings& settings, const LayoutChoices& choices) {
    std::vector<SettingRow> rows;
    if (choices.runs.size() > 1)
        rows.push_back(choiceRow("run", translated("Run"), choices.runs, choices.run,
            translated("Of the runs chosen on the left")));
    const auto isChosen = [&settings](const ColourRow& row) {
        return row.by == settings.by
            && (row.by != RankColour::Value || row.metric == settings.metric);
    };
    rows.push_back(rowOf("colour", translated("Colour"), colourRows(choices), isChosen,
        translated("What the colour of a rank says")));
    if (settings.by == RankColour::Value && !choices.metrics.empty())
        rows.push_back(statisticRow(settings));
    const auto isLit = [&settings](const LitRow& row) { return row.kind == settings.lit; };
    if (choices.hasLayout)
        rows.push_back(rowOf("lit", translated("Groups"), litRows(choices), isLit,
            translated("Which groups of a rank light up")));
    return rows;
}

LayoutSettings fittedLayout(const LayoutSettings& settings, const LayoutChoices& choices) {
    LayoutSettings fitted = settings;
    fitMetric(choices.metrics, fitted.metric, fitted.statistic);
    const auto colours = colourRows(choices);
    if (std::none_of(colours.begin(), colours.end(),
            [&fitted](const ColourRow& row) { return row.by == fitted.by; }))
        fitted.by = RankColour::Node;
    const auto lit = litRows(choices);
    if (std::none_of(lit.begin(), lit.end(),
            [&fitted](const LitRow& row) { return row.kind == fitted.lit; }))
        fitted.lit.reset();
    return fitted;
}

LayoutSettings withLayoutSetting(
    const LayoutSettings& settings, const LayoutChoices& choices, const QString& key, int choice) {
    LayoutSettings changed = settings;
    if (!canChoose(layoutRows(settings, choices), key, choice))
        return settings;
    const auto at = static_cast<std::size_t>(choice);
    if (key == QLatin1String("colour")) {
        const auto chosen = colourRows(choices)[at];
        changed.by = chosen.by;
        if (chosen.by == RankColour::Value)
            changed.metric = chosen.metric;
    } else if (key == QLatin1String("statistic")) {
        changed.statistic = plot::figureStatisticFromString(statisticsOf(settings)[at].key);
    } else if (key == QLatin1String("lit")) {
        changed.lit = litRows(choices)[at].kind;
    }
    return changed;
}

} // namespace trainscope::app
