#include "app/comparing/ComparisonSettings.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>

namespace trainscope::app {
namespace {

using analysis::Normalisation;
using plot::ComparisonAlignment;
using plot::ComparisonPanel;

QString text(std::string_view key) {
    return QString::fromUtf8(key.data(), static_cast<qsizetype>(key.size()));
}

void decodeQuery(const QJsonObject& json, plot::ComparisonQuery& query) {
    query.wholeRun = json.value(QLatin1String("whole_run")).toBool();
    query.normalisation = fromString<analysis::Normalisation>(
        json.value(QLatin1String("normalisation")).toString().toStdString())
                              .value_or(Normalisation::Absolute);
    if (const QString metric = json.value(QLatin1String("curve_metric")).toString();
        !metric.isEmpty())
        query.curveMetric = metric.toStdString();
    query.alignment = fromString<plot::ComparisonAlignment>(
        json.value(QLatin1String("alignment")).toString().toStdString())
                          .value_or(ComparisonAlignment::Folded);
    query.iteration = json.value(QLatin1String("iteration")).toInteger();
    query.stretched = json.value(QLatin1String("stretched")).toBool();
    const std::string sortedBy = json.value(QLatin1String("sorted_by")).toString().toStdString();
    if (analysis::quantityIndex(sortedBy))
        query.sortedBy = sortedBy;
}

const QString kRun = QStringLiteral("run");
const QString kCapture = QStringLiteral("capture");

QString shown(const std::string& name) {
    return QString::fromStdString(name);
}

// A whole run by its name alone, as before there were captures.
QJsonValue encoded(const ComparedName& name) {
    if (name.capture.empty())
        return shown(name.run);
    return QJsonObject{{kRun, shown(name.run)}, {kCapture, shown(name.capture)}};
}

ComparedName decodedName(const QJsonValue& value) {
    if (!value.isObject())
        return {value.toString().toStdString()};
    const QJsonObject object = value.toObject();
    return {object.value(kRun).toString().toStdString(),
        object.value(kCapture).toString().toStdString()};
}

const QString kMoved = QStringLiteral("moved_ns"); // whole runs, by name
const QString kMovedCaptures = QStringLiteral("moved_captures");
const QString kBy = QStringLiteral("ns");

void encodeMoves(const ComparisonSettings& settings, QJsonObject& json) {
    QJsonObject moved;
    QJsonArray captures;
    for (const auto& [name, by] : settings.moved) {
        if (name.capture.empty()) {
            moved.insert(shown(name.run), qint64{by.ns});
            continue;
        }
        QJsonObject one = encoded(name).toObject();
        one.insert(kBy, qint64{by.ns});
        captures.append(one);
    }
    json.insert(kMoved, moved);
    if (!captures.isEmpty())
        json.insert(kMovedCaptures, captures);
}

void decodeMoves(const QJsonObject& json, ComparisonSettings& settings) {
    const QJsonObject moved = json.value(kMoved).toObject();
    for (auto run = moved.begin(); run != moved.end(); ++run)
        settings.moved[{run.key().toStdString()}] = DurationNs{run.value().toInteger()};
    for (const auto& one : json.value(kMovedCaptures).toArray())
        settings.moved[decodedName(one)] = DurationNs{one.toObject().value(kBy).toInteger()};
}

} // namespace

ComparedName comparedName(const analysis::ComparedRun& compared) {
    return {compared.run.name, compared.scope.capture};
}

bool ComparisonSettings::shows(ComparisonPanel panel) const {
    return panels.empty() || std::ranges::find(panels, panel) != panels.end();
}

QJsonObject encodeComparison(const ComparisonSettings& settings) {
    const auto& query = settings.query;
    QJsonArray runs;
    for (const auto& run : settings.runs)
        runs.append(encoded(run));
    QJsonArray panels;
    for (const auto panel : settings.panels)
        panels.append(text(toString(panel)));
    QJsonObject json{{QStringLiteral("runs"), runs}, {QStringLiteral("panels"), panels},
        {QStringLiteral("whole_run"), query.wholeRun},
        {QStringLiteral("normalisation"), text(toString(query.normalisation))},
        {QStringLiteral("curve_metric"), QString::fromStdString(query.curveMetric)},
        {QStringLiteral("alignment"), text(toString(query.alignment))},
        {QStringLiteral("iteration"), qint64{query.iteration}},
        {QStringLiteral("stretched"), query.stretched},
        {QStringLiteral("sorted_by"), QString::fromStdString(query.sortedBy)},
        {QStringLiteral("stacked"), settings.stacked},
        {QStringLiteral("per_stage"), settings.perStage}, {QStringLiteral("theme"), settings.theme},
        {QStringLiteral("scroll"), settings.scroll}};
    encodeMoves(settings, json);
    return json;
}

ComparisonSettings decodeComparison(const QJsonObject& json) {
    ComparisonSettings settings;
    decodeQuery(json, settings.query);
    for (const auto& run : json.value(QLatin1String("runs")).toArray())
        settings.runs.push_back(decodedName(run));
    for (const auto& key : json.value(QLatin1String("panels")).toArray()) {
        if (const auto panel = fromString<plot::ComparisonPanel>(key.toString().toStdString()))
            settings.panels.push_back(*panel);
    }
    decodeMoves(json, settings);
    settings.stacked = json.value(QLatin1String("stacked")).toBool();
    settings.perStage = json.value(QLatin1String("per_stage")).toBool();
    const QString theme = json.value(QLatin1String("theme")).toString();
    if (theme == QLatin1String("dark") || theme == QLatin1String("light"))
        settings.theme = theme;
    settings.scroll = std::clamp(json.value(QLatin1String("scroll")).toDouble(), 0.0, 1.0);
    return settings;
}

std::string comparisonText(const QJsonObject& json) {
    return QJsonDocument(json).toJson(QJsonDocument::Compact).toStdString();
}

QJsonObject comparisonJson(const std::string& text) {
    return QJsonDocument::fromJson(QByteArray::fromStdString(text)).object();
}

plot::ComparisonQuery queryOf(
    const ComparisonSettings& settings, const std::vector<analysis::ComparedRun>& runs) {
    plot::ComparisonQuery query = settings.query;
    bool anyMoved = false;
    bool anyCapture = false;
    for (const auto& compared : runs) {
        query.runs.push_back(compared.run.id);
        query.captures.push_back(compared.scope.capture);
        anyCapture = anyCapture || !compared.scope.capture.empty();
        const auto moved = settings.moved.find(comparedName(compared));
        query.moved.push_back(moved == settings.moved.end() ? DurationNs{0} : moved->second);
        anyMoved = anyMoved || query.moved.back().ns != 0;
    }
    if (!anyMoved)
        query.moved.clear();
    if (!anyCapture)
        query.captures.clear();
    query.withCurves = settings.shows(ComparisonPanel::Curves);
    query.withOperators = settings.shows(ComparisonPanel::Operators);
    return query;
}

} // namespace trainscope::app
