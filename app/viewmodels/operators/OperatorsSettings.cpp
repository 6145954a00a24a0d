#include "app/viewmodels/operators/OperatorsSettings.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

namespace trainscope::app {
namespace {

constexpr auto kRankKey = "rank";
constexpr auto kOfKey = "of";
constexpr auto kByKey = "by";
constexpr auto kPictureKey = "picture";
constexpr auto kColouringKey = "colour";
constexpr auto kPythonKey = "python";
constexpr auto kAgainstKey = "against";
constexpr int kMostAgainst = 60; // runs that are offered

QString tr(const char* text) {
    return QCoreApplication::translate("Operators", text);
}

QStringList rankTitles(const std::vector<int>& ranks) {
    QStringList titles{tr("All ranks")};
    for (const int rank : ranks)
        titles.push_back(tr("Rank %1").arg(rank));
    return titles;
}

QStringList otherTitles(const std::vector<std::string>& others) {
    QStringList titles{tr("no other run")};
    for (const std::string& name : others) {
        if (titles.size() <= kMostAgainst)
            titles.push_back(QString::fromStdString(name));
    }
    return titles;
}

template <typename Values, typename Value>
int placeIn(const Values& values, const Value& value) {
    const auto found = std::find(values.begin(), values.end(), value);
    return found == values.end() ? 0 : static_cast<int>(found - values.begin()) + 1;
}

template <typename Choice>
Choice choiceAt(int value, int count) {
    return static_cast<Choice>(std::clamp(value, 0, count - 1));
}

std::vector<OperatorsBy> groupings(bool isCompared) {
    if (isCompared)
        return {OperatorsBy::Tree, OperatorsBy::Operator, OperatorsBy::Path};
    return {OperatorsBy::Tree, OperatorsBy::Operator, OperatorsBy::Shape, OperatorsBy::Module,
        OperatorsBy::Annotation, OperatorsBy::Pass};
}

QStringList groupTitles(bool isCompared) {
    if (isCompared)
        return {tr("Tree"), tr("Operator"), tr("Path")};
    return {tr("Tree"), tr("Operator"), tr("Inputs"), tr("Module"), tr("Annotation"), tr("Pass")};
}

} // namespace

OperatorsBy shownBy(OperatorsBy chosen, bool isCompared) {
    const auto all = groupings(isCompared);
    if (std::find(all.begin(), all.end(), chosen) != all.end())
        return chosen;
    return isCompared ? OperatorsBy::Path : OperatorsBy::Tree;
}

QJsonObject encodeOperators(const OperatorsSettings& settings) {
    return {{QLatin1String(kRankKey), settings.rank},
        {QLatin1String(kOfKey), static_cast<int>(settings.of)},
        {QLatin1String(kByKey), static_cast<int>(settings.by)},
        {QLatin1String(kPictureKey), static_cast<int>(settings.picture)},
        {QLatin1String(kColouringKey), static_cast<int>(settings.colouring)},
        {QLatin1String(kPythonKey), settings.python},
        {QLatin1String(kAgainstKey), QString::fromStdString(settings.against)}};
}

OperatorsSettings decodeOperators(const QJsonObject& json) {
    const auto number = [&json](const char* key, int otherwise = 0) {
        return json.value(QLatin1String(key)).toInt(otherwise);
    };
    OperatorsSettings settings;
    settings.rank = std::max(number(kRankKey, -1), -1);
    settings.of = choiceAt<OperatorsOf>(number(kOfKey), 3);
    settings.by = choiceAt<OperatorsBy>(number(kByKey), 7);
    settings.picture = choiceAt<OperatorsPicture>(number(kPictureKey), 3);
    settings.colouring = choiceAt<plot::FlameColouring>(number(kColouringKey), 2);
    settings.python = json.value(QLatin1String(kPythonKey)).toBool();
    settings.against = json.value(QLatin1String(kAgainstKey)).toString().toStdString();
    return settings;
}

std::vector<SettingRow> operatorsRows(
    const OperatorsSettings& settings, const OperatorsChoices& choices) {
    const int against = placeIn(choices.others, settings.against);
    const QStringList groups = groupTitles(against > 0);
    std::vector<SettingRow> rows{choiceRow(kByKey, tr("By"), groups,
        placeIn(groupings(against > 0), shownBy(settings.by, against > 0)) - 1,
        tr("What a row is of"))};
    rows.push_back(choiceRow(kOfKey, tr("Of"),
        {tr("the whole run"), tr("the shown window"), tr("the selection")},
        static_cast<int>(settings.of), tr("The window and the selection of the timeline")));
    if (choices.ranks.size() > 1)
        rows.push_back(choiceRow(kRankKey, tr("Ranks"), rankTitles(choices.ranks),
            placeIn(choices.ranks, settings.rank), tr("One rank, or all of them together")));
    if (!choices.others.empty())
        rows.push_back(choiceRow(kAgainstKey, tr("Against"), otherTitles(choices.others), against,
            tr("A second run, matched by structure")));
    if (against == 0) {
        rows.push_back(
            choiceRow(kPictureKey, tr("Picture"), {tr("Flame graph"), tr("Roofline"), tr("Bars")},
                static_cast<int>(settings.picture), tr("What is drawn above the rows")));
        if (settings.picture == OperatorsPicture::Flame)
            rows.push_back(choiceRow(kColouringKey, tr("Colours"), {tr("Passes"), tr("Categories")},
                static_cast<int>(settings.colouring), tr("Of the flame graph")));
        if (choices.hasModules)
            rows.push_back(switchRow(kPythonKey, tr("Python"), settings.python,
                tr("Functions of Python too, beside the modules")));
    }
    return rows;
}

OperatorsSettings withOperators(const OperatorsSettings& settings, const OperatorsChoices& choices,
    const QString& key, int choice) {
    OperatorsSettings changed = settings;
    if (!canChoose(operatorsRows(settings, choices), key, choice))
        return changed;
    const auto before = static_cast<std::size_t>(std::max(choice - 1, 0));
    if (key == QLatin1String(kByKey))
        changed.by = groupings(
            placeIn(choices.others, settings.against) > 0)[static_cast<std::size_t>(choice)];
    else if (key == QLatin1String(kOfKey))
        changed.of = static_cast<OperatorsOf>(choice);
    else if (key == QLatin1String(kRankKey))
        changed.rank = choice == 0 ? -1 : choices.ranks[before];
    else if (key == QLatin1String(kAgainstKey))
        changed.against = choice == 0 ? std::string() : choices.others[before];
    else if (key == QLatin1String(kPictureKey))
        changed.picture = static_cast<OperatorsPicture>(choice);
    else if (key == QLatin1String(kColouringKey))
        changed.colouring = static_cast<plot::FlameColouring>(choice);
    else if (key == QLatin1String(kPythonKey))
        changed.python = choice == 1;
    return changed;
}

} // namespace trainscope::app
