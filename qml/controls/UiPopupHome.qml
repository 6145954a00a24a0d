import QtQuick
import QtQuick.Templates as T

// Closes a popup that is part of a view when the view goes: keys no longer reach it.
QtObject {
    required property T.Popup guest
    property Item home: guest.parent
    readonly property bool isShown: home ? home.visible : true

    onIsShownChanged: {
        if (!isShown)
            guest.close();
    }
}
