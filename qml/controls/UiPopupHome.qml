import QtQml
import QtQuick.Templates as T

// Closes a popup that is part of a view when the view goes: keys no longer reach it.
QtObject {
    id: home

    required property T.Popup guest
    readonly property bool isShown: guest.parent ? guest.parent.visible : true

    onIsShownChanged: {
        if (!isShown)
            guest.close();
    }
}
