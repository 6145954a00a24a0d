#include "app/viewmodels/workspace/Setting.h"

#include "app/viewmodels/text/Texts.h"

#include <algorithm>

namespace trainscope::app {
namespace {

// Longest choice, for which the control is made wide enough.
QString longestChoiceOf(const SettingRow& row) {
    const auto longest = std::ranges::max_element(
        row.choices, [](const QString& a, const QString& b) { return a.size() < b.size(); });
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

} // namespace trainscope::app
