#pragma once
// The controls of a view. GUI thread.

#include <QQmlEngine>

#include "app/viewmodels/workspace/RowListModel.h"
#include "app/viewmodels/workspace/SettingRow.h"

namespace trainscope::app {

class SettingListModel : public RowListModel<SettingRow> {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Comes from the view.")
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)

public:
    enum Role { Key = Qt::UserRole + 1, Label, Choices, Current, Tip, IsSwitch, Longest };
    Q_ENUM(Role)

    using RowListModel::RowListModel;
    [[nodiscard]] QHash<int, QByteArray> roleNames() const override;

Q_SIGNALS:
    void countChanged();

protected:
    [[nodiscard]] QVariant value(const SettingRow& row, int role) const override;
    void notifyCount() override { Q_EMIT countChanged(); }
};

} // namespace trainscope::app
