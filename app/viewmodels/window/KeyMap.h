#pragma once
// The list of keys (app/manual/Keys.h) for QML: sequences of the handlers, hints of menus and tool
// tips, rows of the sheet of keys.

#include "app/viewmodels/window/RowListModel.h"

#include <QQmlEngine>
#include <QVariantList>

namespace trainscope::app {

struct KeyLine {
    QString group; // on the first key of a group, else empty
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
