#pragma once
// The controls of a view's tools: what can be chosen, and what is. The rows are plain values, for
// any thread; the model is of the GUI thread.

#include <QQmlEngine>
#include <QString>
#include <QStringList>

#include "app/viewmodels/window/RowListModel.h"
#include <vector>

namespace trainscope::app {

struct SettingRow {
    QString key;
    QString label;
    QStringList choices; // empty for a switch
    int current = 0; // index of the choice; switch: 0 or 1
    QString tip;
    bool isSwitch = false;
    [[nodiscard]] int count() const { return isSwitch ? 2 : static_cast<int>(choices.size()); }
    bool operator==(const SettingRow&) const = default;
};

SettingRow choiceRow(const char* key, const QString& label, QStringList choices, int current,
    const QString& tip = {});

class SettingListModel : public RowListModel<SettingRow> {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Comes from the view.")

public:
    explicit SettingListModel(QObject* parent = nullptr);
};

} // namespace trainscope::app
