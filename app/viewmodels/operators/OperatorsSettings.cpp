#include "app/viewmodels/operators/OperatorsSettings.h"

#include <QCoreApplication>

#include <algorithm>
#include <cstddef>

namespace trainscope::app {
namespace {

constexpr std::size_t kMostAgainst = 60; // runs that are offered
constexpr int kGroupings = 7;

QString tr(const char* text) {
    return QCoreApplication::translate("Operators", text);
}

bool isComparedWith(const OperatorsSettings& settings, const OperatorsChoices& choices) {
    return std::find(choices.others.begin(), choices.others.end(), settings.against)
        != choices.others.end();
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

using OperatorsSetting = Setting<OperatorsSettings, OperatorsChoices>;
using Control = std::optional<SettingControl>;

// A number of a few, as it is kept.
template <typename Choice>
OperatorsSetting choiceSetting(const char* key, Choice OperatorsSettings::*of, int count) {
    return {QLatin1String(key), [of](const auto& all) { return static_cast<int>(all.*of); },
        [of, count](auto& all, const auto& value) {
            all.*of = static_cast<Choice>(std::clamp(value.toInt(), 0, count - 1));
        }};
}

std::vector<SettingChoice> inOrder(const QStringList& titles) {
    std::vector<SettingChoice> choices;
    for (const QString& title : titles)
        choices.push_back({title, static_cast<int>(choices.size())});
    return choices;
}

OperatorsSetting bySetting() {
    auto setting = choiceSetting("by", &OperatorsSettings::by, kGroupings);
    setting.control = [](const auto& all, const auto& choices) -> Control {
        const bool isCompared = isComparedWith(all, choices);
        SettingControl control{tr("By"), tr("What a row is of")};
        for (const QString& title : groupTitles(isCompared)) {
            const OperatorsBy by = groupings(isCompared)[control.choices.size()];
            if (by == shownBy(all.by, isCompared))
                control.current = static_cast<int>(control.choices.size());
            control.choices.push_back({title, static_cast<int>(by)});
        }
        return control;
    };
    return setting;
}

OperatorsSetting ofSetting() {
    auto setting = choiceSetting("of", &OperatorsSettings::of, 3);
    setting.control = [](const auto&, const auto&) -> Control {
        return SettingControl{tr("Of"), tr("The window and the selection of the timeline"),
            inOrder({tr("the whole run"), tr("the shown window"), tr("the selection")})};
    };
    return setting;
}

OperatorsSetting rankSetting() {
    return {QStringLiteral("rank"), [](const auto& all) { return all.rank; },
        [](auto& all, const auto& value) { all.rank = std::max(value.toInt(-1), -1); },
        [](const auto&, const auto& choices) -> Control {
            if (choices.ranks.size() < 2)
                return std::nullopt;
            SettingControl control{
                tr("Ranks"), tr("One rank, or all of them together"), {{tr("All ranks"), -1}}};
            for (const int rank : choices.ranks)
                control.choices.push_back({tr("Rank %1").arg(rank), rank});
            return control;
        }};
}

OperatorsSetting againstSetting() {
    return {QStringLiteral("against"),
        [](const auto& all) { return QString::fromStdString(all.against); },
        [](auto& all, const auto& value) { all.against = value.toString().toStdString(); },
        [](const auto&, const auto& choices) -> Control {
            if (choices.others.empty())
                return std::nullopt;
            SettingControl control{tr("Against"), tr("A second run, matched by structure"),
                {{tr("no other run"), QString()}}};
            for (const std::string& name : choices.others) {
                const QString title = QString::fromStdString(name);
                if (control.choices.size() <= kMostAgainst)
                    control.choices.push_back({title, title});
            }
            return control;
        }};
}

OperatorsSetting pictureSetting() {
    auto setting = choiceSetting("picture", &OperatorsSettings::picture, 3);
    setting.control = [](const auto& all, const auto& choices) -> Control {
        if (isComparedWith(all, choices))
            return std::nullopt;
        return SettingControl{tr("Picture"), tr("What is drawn above the rows"),
            inOrder({tr("Flame graph"), tr("Roofline"), tr("Bars")})};
    };
    return setting;
}

OperatorsSetting colouringSetting() {
    auto setting = choiceSetting("colour", &OperatorsSettings::colouring, 2);
    setting.control = [](const auto& all, const auto& choices) -> Control {
        if (isComparedWith(all, choices) || all.picture != OperatorsPicture::Flame)
            return std::nullopt;
        return SettingControl{
            tr("Colours"), tr("Of the flame graph"), inOrder({tr("Passes"), tr("Categories")})};
    };
    return setting;
}

OperatorsSetting pythonSetting() {
    return {QStringLiteral("python"), [](const auto& all) { return all.python; },
        [](auto& all, const auto& value) { all.python = value.toBool(); },
        [](const auto& all, const auto& choices) -> Control {
            if (isComparedWith(all, choices) || !choices.hasModules)
                return std::nullopt;
            return switchControl(tr("Python"), tr("Functions of Python too, beside the modules"));
        }};
}

} // namespace

OperatorsBy shownBy(OperatorsBy chosen, bool isCompared) {
    const auto all = groupings(isCompared);
    if (std::find(all.begin(), all.end(), chosen) != all.end())
        return chosen;
    return isCompared ? OperatorsBy::Path : OperatorsBy::Tree;
}

const OperatorsSettingList& operatorsSettings() {
    static const OperatorsSettingList list({bySetting(), ofSetting(), rankSetting(),
        againstSetting(), pictureSetting(), colouringSetting(), pythonSetting()});
    return list;
}

} // namespace trainscope::app
