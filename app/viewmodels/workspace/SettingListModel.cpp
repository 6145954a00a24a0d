#include "app/viewmodels/workspace/SettingListModel.h"

#include "app/viewmodels/workspace/Setting.h"

#include <algorithm>

namespace trainscope::app {
namespace {

// Longest choice, for which the control is made wide enough.
QString longestChoiceOf(const SettingRow& row) {
    const auto longest = std::max_element(row.choices.begin(), row.choices.end(),
        [](const QString& a, const QString& b) { return a.size() < b.size(); });
    return longest == row.choices.end() ? QString() : *longest;
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

SettingListModel::SettingListModel(QObject* parent)
    : RowListModel({{"label", &SettingRow::label}, {"key", &SettingRow::key},
                       {"choices", &SettingRow::choices}, {"current", &SettingRow::current},
                       {"tip", &SettingRow::tip}, {"isSwitch", &SettingRow::isSwitch},
                       {"longest", longestChoiceOf}},
        parent) { }

} // namespace trainscope::app
