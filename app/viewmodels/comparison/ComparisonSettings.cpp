#include "app/viewmodels/comparison/ComparisonSettings.h"

#include <QCoreApplication>
#include <QJsonArray>

#include <algorithm>
#include <array>

namespace trainscope::app {
namespace {

using analysis::Normalisation;
using plot::ComparisonAlignment;
using plot::ComparisonPanel;

constexpr std::array kNormalisations{Normalisation::Absolute, Normalisation::PerGpu,
    Normalisation::PerNode, Normalisation::PerToken};

QString tr(const char* text) {
    return QCoreApplication::translate("ComparisonSettings", text);
}

QString text(std::string_view key) {
    return QString::fromUtf8(key.data(), static_cast<qsizetype>(key.size()));
}

template <typename Table, typename Value>
int indexIn(const Table& table, const Value& value) {
    const auto found = std::find(table.begin(), table.end(), value);
    return found == table.end() ? 0 : static_cast<int>(found - table.begin());
}

int indexOfKey(const std::vector<plot::FigureChoice>& choices, std::string_view key) {
    const auto found = std::find_if(choices.begin(), choices.end(),
        [key](const plot::FigureChoice& choice) { return choice.key == key; });
    return found == choices.end() ? 0 : static_cast<int>(found - choices.begin());
}

QStringList titlesOf(const std::vector<plot::FigureChoice>& choices) {
    QStringList titles;
    for (const auto& choice : choices)
        titles.append(QString::fromStdString(choice.title));
    return titles;
}

// The chosen one is always among them, known or not.
std::vector<plot::FigureChoice> metricsWith(
    const ComparisonOffers& offers, const std::string& chosen) {
    auto metrics = offers.metrics;
    const bool known = std::any_of(metrics.begin(), metrics.end(),
        [&chosen](const plot::FigureChoice& choice) { return choice.key == chosen; });
    if (!known) {
        const Metric* metric = findMetric(chosen);
        metrics.push_back({chosen, metric == nullptr ? chosen : metric->label});
    }
    return metrics;
}

std::vector<std::int64_t> iterationsWith(
    const ComparisonSettings& settings, const ComparisonOffers& offers) {
    auto iterations = offers.iterations;
    const bool isChosen = settings.query.alignment == ComparisonAlignment::Iteration;
    const bool known = std::find(iterations.begin(), iterations.end(), settings.query.iteration)
        != iterations.end();
    if (isChosen && !known) {
        iterations.push_back(settings.query.iteration);
        std::sort(iterations.begin(), iterations.end());
    }
    return iterations;
}

constexpr int kBeforeIterations = 2; // folded, start

SettingRow alignmentRow(const ComparisonSettings& settings, const ComparisonOffers& offers) {
    SettingRow row{QStringLiteral("align"), tr("Align"),
        {tr("All iterations, folded"), tr("Start of the runs")}, 0,
        tr("What stands at 0 of the time axis"), false};
    const auto iterations = iterationsWith(settings, offers);
    for (const auto iteration : iterations)
        row.choices.append(tr("Iteration %1").arg(iteration));
    if (settings.query.alignment == ComparisonAlignment::Start)
        row.current = 1;
    else if (settings.query.alignment == ComparisonAlignment::Iteration)
        row.current = kBeforeIterations + indexIn(iterations, settings.query.iteration);
    return row;
}

void takeAlignment(ComparisonSettings& settings, const ComparisonOffers& offers, int choice) {
    const auto iterations = iterationsWith(settings, offers);
    if (choice < kBeforeIterations) {
        settings.query.alignment
            = choice == 0 ? ComparisonAlignment::Folded : ComparisonAlignment::Start;
        settings.query.iteration = 0;
        return;
    }
    settings.query.alignment = ComparisonAlignment::Iteration;
    settings.query.iteration = iterations[static_cast<std::size_t>(choice - kBeforeIterations)];
}

void decodeQuery(const QJsonObject& json, plot::ComparisonQuery& query) {
    query.wholeRun = json.value(QLatin1String("whole_run")).toBool();
    query.normalisation = analysis::normalisationFrom(
        json.value(QLatin1String("normalisation")).toString().toStdString())
                              .value_or(Normalisation::Absolute);
    const auto metric = [&json](const char* key, const std::string& usual) {
        const QString name = json.value(QLatin1String(key)).toString();
        return name.isEmpty() ? usual : name.toStdString();
    };
    query.heatMetric = metric("heat_metric", query.heatMetric);
    query.curveMetric = metric("curve_metric", query.curveMetric);
    query.heatStatistic = plot::figureStatisticFromString(
        json.value(QLatin1String("statistic")).toString().toStdString())
                              .value_or(plot::usualStatistic(query.heatMetric));
    query.alignment = plot::comparisonAlignmentFromString(
        json.value(QLatin1String("alignment")).toString().toStdString())
                          .value_or(ComparisonAlignment::Folded);
    query.iteration = json.value(QLatin1String("iteration")).toInteger();
}

} // namespace

bool ComparisonSettings::shows(ComparisonPanel panel) const {
    return panels.empty() || std::find(panels.begin(), panels.end(), panel) != panels.end();
}

QJsonObject encodeComparison(const ComparisonSettings& settings) {
    const auto& query = settings.query;
    QJsonArray runs;
    for (const auto& run : settings.runs)
        runs.append(QString::fromStdString(run));
    QJsonArray panels;
    for (const auto panel : settings.panels)
        panels.append(text(plot::toString(panel)));
    QJsonObject moved;
    for (const auto& [run, by] : settings.moved)
        moved.insert(QString::fromStdString(run), qint64{by.ns});
    return {{QStringLiteral("runs"), runs}, {QStringLiteral("moved_ns"), moved},
        {QStringLiteral("panels"), panels}, {QStringLiteral("whole_run"), query.wholeRun},
        {QStringLiteral("normalisation"), text(analysis::toString(query.normalisation))},
        {QStringLiteral("heat_metric"), QString::fromStdString(query.heatMetric)},
        {QStringLiteral("statistic"), text(plot::toString(query.heatStatistic))},
        {QStringLiteral("curve_metric"), QString::fromStdString(query.curveMetric)},
        {QStringLiteral("alignment"), text(plot::toString(query.alignment))},
        {QStringLiteral("iteration"), qint64{query.iteration}},
        {QStringLiteral("stacked"), settings.stacked},
        {QStringLiteral("per_stage"), settings.perStage},
        {QStringLiteral("theme"), settings.theme}};
}

ComparisonSettings decodeComparison(const QJsonObject& json) {
    ComparisonSettings settings;
    decodeQuery(json, settings.query);
    for (const auto& run : json.value(QLatin1String("runs")).toArray())
        settings.runs.push_back(run.toString().toStdString());
    for (const auto& key : json.value(QLatin1String("panels")).toArray()) {
        if (const auto panel = plot::comparisonPanelFromString(key.toString().toStdString()))
            settings.panels.push_back(*panel);
    }
    const QJsonObject moved = json.value(QLatin1String("moved_ns")).toObject();
    for (auto run = moved.begin(); run != moved.end(); ++run)
        settings.moved[run.key().toStdString()] = DurationNs{run.value().toInteger()};
    settings.stacked = json.value(QLatin1String("stacked")).toBool();
    settings.perStage = json.value(QLatin1String("per_stage")).toBool();
    const QString theme = json.value(QLatin1String("theme")).toString();
    if (theme == QLatin1String("dark") || theme == QLatin1String("light"))
        settings.theme = theme;
    return settings;
}

std::vector<SettingRow> comparisonRows(
    const ComparisonSettings& settings, const ComparisonOffers& offers) {
    const auto& query = settings.query;
    const auto curves = metricsWith(offers, query.curveMetric);
    const auto heat = metricsWith(offers, query.heatMetric);
    const auto statistics = plot::figureStatistics(query.heatMetric);
    return {
        {QStringLiteral("normalise"), tr("Normalise"),
            {tr("Absolute"), tr("Per GPU"), tr("Per node"), tr("Per token")},
            indexIn(kNormalisations, query.normalisation),
            tr("What grows with the machine or the batch is divided"), false},
        {QStringLiteral("window"), tr("Part"), {tr("Settled iterations"), tr("Whole run")},
            query.wholeRun ? 1 : 0, {}, false},
        alignmentRow(settings, offers),
        {QStringLiteral("curve"), tr("Curve"), titlesOf(curves),
            indexOfKey(curves, query.curveMetric), {}, false},
        {QStringLiteral("heat"), tr("Heat map"), titlesOf(heat), indexOfKey(heat, query.heatMetric),
            {}, false},
        {QStringLiteral("statistic"), tr("Statistic"), titlesOf(statistics),
            indexOfKey(statistics, plot::toString(query.heatStatistic)), {}, false},
    };
}

ComparisonSettings withChoice(const ComparisonSettings& settings, const ComparisonOffers& offers,
    const QString& key, int choice) {
    const auto rows = comparisonRows(settings, offers);
    const auto row = std::find_if(
        rows.begin(), rows.end(), [&key](const SettingRow& one) { return one.key == key; });
    if (row == rows.end() || choice < 0 || choice >= row->count())
        return settings;
    ComparisonSettings changed = settings;
    auto& query = changed.query;
    const auto at = static_cast<std::size_t>(choice);
    if (key == QLatin1String("normalise"))
        query.normalisation = kNormalisations[at];
    else if (key == QLatin1String("window"))
        query.wholeRun = choice == 1;
    else if (key == QLatin1String("align"))
        takeAlignment(changed, offers, choice);
    else if (key == QLatin1String("curve"))
        query.curveMetric = metricsWith(offers, query.curveMetric)[at].key;
    else if (key == QLatin1String("heat")) {
        query.heatMetric = metricsWith(offers, query.heatMetric)[at].key;
        query.heatStatistic = plot::usualStatistic(query.heatMetric);
    } else if (key == QLatin1String("statistic"))
        query.heatStatistic
            = plot::figureStatisticFromString(plot::figureStatistics(query.heatMetric)[at].key)
                  .value_or(query.heatStatistic);
    return changed;
}

plot::ComparisonQuery queryOf(const ComparisonSettings& settings, const std::vector<Run>& runs) {
    plot::ComparisonQuery query = settings.query;
    bool anyMoved = false;
    for (const auto& run : runs) {
        query.runs.push_back(run.id);
        const auto moved = settings.moved.find(run.name);
        query.moved.push_back(moved == settings.moved.end() ? DurationNs{0} : moved->second);
        anyMoved = anyMoved || query.moved.back().ns != 0;
    }
    if (!anyMoved)
        query.moved.clear();
    query.withCurves = settings.shows(ComparisonPanel::Curves);
    query.withTracks = settings.shows(ComparisonPanel::Tracks);
    query.withKernels = settings.shows(ComparisonPanel::Kernels);
    return query;
}

QStringList panelTitles() {
    return {tr("Verdict"), tr("Cards"), tr("Where the step goes"), tr("Heat maps"), tr("Curves"),
        tr("Aligned timelines"), tr("Further reasons"), tr("Configuration"), tr("Longest kernels"),
        tr("All quantities")};
}

} // namespace trainscope::app
