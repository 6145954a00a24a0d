#pragma once
// The window's keys in one list: the handlers take their sequences from it, menus and tool tips
// their hints, and the sheet of keys shows it. Keys of the views stand in it by their text alone.

#include <QAbstractListModel>
#include <QKeySequence>
#include <QQmlEngine>
#include <QVariantList>

#include <vector>

namespace trainscope::app {

class KeyMap : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_SINGLETON

public:
    enum Role {
        GroupRole = Qt::UserRole + 1, // of the first key of a group, else empty
        KeysRole,
        ActionRole,
    };

    explicit KeyMap(QObject* parent = nullptr);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QHash<int, QByteArray> roleNames() const override;

    // For Shortcut.sequences; empty for an id that is not in the list.
    Q_INVOKABLE [[nodiscard]] QVariantList sequences(const QString& id) const;
    // As printed beside a command: "Ctrl+O".
    Q_INVOKABLE [[nodiscard]] QString hint(const QString& id) const;

private:
    struct Line {
        QString group;
        QString keys;
        QString action;
    };
    std::vector<Line> m_lines;
};

} // namespace trainscope::app
