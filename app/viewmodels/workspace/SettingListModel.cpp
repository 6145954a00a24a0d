#include "app/viewmodels/workspace/SettingListModel.h"

#include <algorithm>

namespace trainscope::app {
namespace {

QString longestOf(const QStringList& texts) {
    const auto longest = std::max_element(texts.begin(), texts.end(),
        [](const QString& a, const QString& b) { return a.size() < b.size(); });
    return longest == texts.end() ? QString() : *longest;
}

} // namespace

QVariant SettingListModel::value(const SettingRow& row, int role) const {
    switch (role) {
    case Key:
        return row.key;
    case Qt::DisplayRole:
    case Label:
        return row.label;
    case Choices:
        return row.choices;
    case Current:
        return row.current;
    case Tip:
        return row.tip;
    case IsSwitch:
        return row.isSwitch;
    case Longest:
        return longestOf(row.choices);
    default:
        return {};
    }
}

QHash<int, QByteArray> SettingListModel::roleNames() const {
    return {{Key, "key"}, {Label, "label"}, {Choices, "choices"}, {Current, "current"},
        {Tip, "tip"}, {IsSwitch, "isSwitch"}, {Longest, "longest"}};
}

} // namespace trainscope::app
