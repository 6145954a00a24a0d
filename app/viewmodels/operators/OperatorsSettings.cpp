#include "app/viewmodels/operators/OperatorsSettings.h"

namespace trainscope::app {
namespace {

constexpr std::size_t kMostOffered = 60; // runs, captures, iterations
// In the order of OperatorsBy.
constexpr std::array kGroupings{
    "tree", "operator", "shape", "module", "annotation", "pass", "path", "kernel", "category"};

bool isComparedWith(const OperatorsSettings& settings, const OperatorsChoices& choices) {
    return std::ranges::find(choices.others, settings.against) != choices.others.end();
}

std::vector<OperatorsBy> groupings(bool isCompared) {
    if (isCompared)
        return {OperatorsBy::Kernel, OperatorsBy::Tree, OperatorsBy::Operator, OperatorsBy::Path};
    return {OperatorsBy::Kernel, OperatorsBy::Category, OperatorsBy::Tree, OperatorsBy::Operator,
        OperatorsBy::Shape, OperatorsBy::Module, OperatorsBy::Annotation, OperatorsBy::Pass};
}

// As the options of the figures call them.
QString groupTitle(OperatorsBy by, bool isCompared) {
    const auto& options
        = isCompared ? figures::differenceOptions() : figures::operatorTableOptions();
    for (const auto& choice : options.find("by")->words.choices) {
        if (choice.key == kGroupings[static_cast<std::size_t>(by)])
            return QString::fromStdString(choice.title);
    }
    return by == OperatorsBy::Kernel  ? QStringLiteral("Kernel")
        : by == OperatorsBy::Category ? QStringLiteral("Category")
                                      : QStringLiteral("Tree");
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
    auto setting = choiceSetting("by", &OperatorsSettings::by, static_cast<int>(kGroupings.size()));
    setting.control = [](const auto& all, const auto& choices) -> Control {
        const bool isCompared = isComparedWith(all, choices);
        SettingControl control{
            QStringLiteral("By"), QStringLiteral("The thing that a row stands for")};
        for (const OperatorsBy by : groupings(isCompared)) {
            if (by == shownBy(all.by, isCompared))
                control.current = static_cast<int>(control.choices.size());
            control.choices.push_back({groupTitle(by, isCompared), static_cast<int>(by)});
        }
        return control;
    };
    return setting;
}

OperatorsSetting ofSetting() {
    return {QStringLiteral("of"),
        [](const auto& all) {
            return all.of == OperatorsOf::Part ? QJsonValue(QString::fromStdString(all.part))
                                               : QJsonValue(static_cast<int>(all.of));
        },
        [](auto& all, const auto& value) {
            all.part = value.toString().toStdString();
            all.of = all.part.empty() ? static_cast<OperatorsOf>(std::clamp(value.toInt(), 0, 2))
                                      : OperatorsOf::Part;
        },
        [](const auto&, const auto& choices) -> Control {
            SettingControl control{QStringLiteral("Of"),
                QStringLiteral("The run, the window or selection of the timeline, or a part"),
                inOrder({QStringLiteral("the whole run"), QStringLiteral("the shown window"),
                    QStringLiteral("the selection")})};
            for (const std::string& part : choices.parts) {
                if (control.choices.size() <= kMostOffered)
                    control.choices.push_back(
                        {QString::fromStdString(part), QString::fromStdString(part)});
            }
            return control;
        }};
}

OperatorsSetting rankSetting() {
    return {QStringLiteral("rank"), [](const auto& all) { return all.rank; },
        [](auto& all, const auto& value) { all.rank = std::max(value.toInt(-1), -1); },
        [](const auto&, const auto& choices) -> Control {
            if (choices.ranks.size() < 2)
                return std::nullopt;
            SettingControl control{QStringLiteral("Ranks"),
                QStringLiteral("One rank, or all of them together"),
                {{QStringLiteral("All ranks"), -1}}};
            for (const int rank : choices.ranks)
                control.choices.push_back({QStringLiteral("Rank %1").arg(rank), rank});
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
            SettingControl control{QStringLiteral("Against"),
                QStringLiteral("A second run or capture, matched by structure"),
                {{QStringLiteral("nothing else"), QString()}}};
            for (const std::string& name : choices.others) {
                const QString title = QString::fromStdString(name);
                if (control.choices.size() <= kMostOffered)
                    control.choices.push_back({title, title});
            }
            return control;
        }};
}

OperatorsSetting pathSetting() {
    return {QStringLiteral("path"), [](const auto& all) { return all.path; },
        [](auto& all, const auto& value) { all.path = value.toBool(); },
        [](const auto& all, const auto& choices) -> Control {
            if (isComparedWith(all, choices))
                return std::nullopt;
            return switchControl(QStringLiteral("On the path"),
                QStringLiteral("A column of the time on the critical path of a step"));
        }};
}

OperatorsSetting pictureSetting() {
    auto setting = choiceSetting("picture", &OperatorsSettings::picture, 2);
    setting.control = [](const auto& all, const auto& choices) -> Control {
        if (isComparedWith(all, choices))
            return std::nullopt;
        return SettingControl{QStringLiteral("Picture"),
            QStringLiteral("The picture above the rows"),
            inOrder({QStringLiteral("Flame graph"), QStringLiteral("Roofline")})};
    };
    return setting;
}

// An option of flame graphs; `isOffered` where the view has one.
template <typename Offered>
OperatorsSetting flameSetting(std::string_view name, Offered isOffered) {
    auto setting = settingOf<OperatorsSettings, OperatorsChoices>(
        *figures::flameOptions().find(name), &OperatorsSettings::flame);
    setting.control
        = [control = setting.control, isOffered](const auto& all, const auto& choices) -> Control {
        if (isComparedWith(all, choices) || !isOffered(all, choices))
            return std::nullopt;
        return control(all, choices);
    };
    return setting;
}

OperatorsSetting colouringSetting() {
    return flameSetting("colour",
        [](const auto& all, const auto&) { return all.picture == OperatorsPicture::Flame; });
}

OperatorsSetting pythonSetting() {
    return flameSetting(
        "python", [](const auto&, const auto& choices) { return choices.hasModules; });
}

} // namespace

OperatorsBy shownBy(OperatorsBy chosen, bool isCompared) {
    const auto all = groupings(isCompared);
    if (std::ranges::find(all, chosen) != all.end())
        return chosen;
    return isCompared ? OperatorsBy::Path : OperatorsBy::Tree;
}

const OperatorsSettingList& operatorsSettings() {
    static const OperatorsSettingList list({bySetting(), ofSetting(), rankSetting(),
        againstSetting(), pathSetting(), pictureSetting(), colouringSetting(), pythonSetting()});
    return list;
}

} // namespace trainscope::app
