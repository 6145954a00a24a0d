#pragma once
// What the window has to tell: errors, warnings and results of actions, shown as a banner until the
// user closes them; results go by themselves. Newest last. GUI thread only.

#include "core/model/Result.h"

#include <QAbstractListModel>
#include <QQmlEngine>
#include <QString>

#include <vector>

namespace trainscope::app {

class NoticeModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Belongs to the session")
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)

public:
    enum Role { TextRole = Qt::UserRole + 1, WhereRole, SevereRole, IconRole };

    using QAbstractListModel::QAbstractListModel;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QHash<int, QByteArray> roleNames() const override;
    [[nodiscard]] int count() const { return static_cast<int>(m_notices.size()); }

    void error(const Error& error);
    void inform(const QString& text);

    Q_INVOKABLE void dismiss(int row);
    Q_INVOKABLE void dismissAll();
    // All texts of a row, for the clipboard.
    Q_INVOKABLE [[nodiscard]] QString textOf(int row) const;

    // More are not kept: the oldest goes.
    static constexpr int kKept = 4;

Q_SIGNALS:
    void countChanged();

private:
    struct Notice {
        QString text;
        QString where;
        bool severe = false;
        int id = 0;
    };
    void add(Notice notice);

    std::vector<Notice> m_notices;
    int m_nextId = 0;
};

} // namespace trainscope::app
