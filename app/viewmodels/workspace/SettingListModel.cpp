#include "app/viewmodels/workspace/SettingListModel.h"

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

SettingRow switchRow(const char* key, const QString& label, bool on, const QString& tip) {
    return {QLatin1String(key), label, {}, on ? 1 : 0, tip, true};
}

bool canChoose(const std::vector<SettingRow>& rows, const QString& key, int choice) {
    return std::any_of(rows.begin(), rows.end(), [&key, choice](const SettingRow& row) {
        return row.key == key && choice >= 0 && choice < row.count();
    });
}

QStringList titlesOf(const std::vector<plot::FigureChoice>& choices) {
    QStringList titles;
    for (const auto& choice : choices)
        titles.append(QString::fromStdString(choice.title));
    return titles;
}

int indexOf(const std::vector<plot::FigureChoice>& choices, std::string_view key) {
    const auto found = std::find_if(choices.begin(), choices.end(),
        [key](const plot::FigureChoice& choice) { return choice.key == key; });
    return found == choices.end() ? 0 : static_cast<int>(found - choices.begin());
}

SettingListModel::SettingListModel(QObject* parent)
    : RowListModel({{"label", &SettingRow::label}, {"key", &SettingRow::key},
                       {"choices", &SettingRow::choices}, {"current", &SettingRow::current},
                       {"tip", &SettingRow::tip}, {"isSwitch", &SettingRow::isSwitch},
                       {"longest", longestChoiceOf}},
        parent) { }

} // namespace trainscope::app
