#pragma once
// The window's keys in one list: the handlers take their sequences from it, menus and tool tips
// their hints, and the sheet of keys shows it. Keys of the views stand in it by their text alone.

#include "app/viewmodels/window/RowListModel.h"

#include <QQmlEngine>
#include <QVariantList>

namespace trainscope::app {

struct KeyLine {
    QString group; // of the first key of a group, else empty
    QString keys;
    QString action;
};

class KeyMap : public RowListModel<KeyLine> {
    Q_OBJECT
    QML_ELEMENT
    QML_SINGLETON

public:
    explicit KeyMap(QObject* parent = nullptr);

    // For Shortcut.sequences; empty for an id that is not in the list.
    Q_INVOKABLE [[nodiscard]] QVariantList sequences(const QString& id) const;
    // As printed beside a command: "Ctrl+O".
    Q_INVOKABLE [[nodiscard]] QString hint(const QString& id) const;
};

} // namespace trainscope::app
