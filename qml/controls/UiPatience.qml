import QtQuick
import Trainscope
import Trainscope.App

// Tells that work takes long: signs of quick work would flicker.
Timer {
    id: patience

    required property bool busy
    property bool isLong: false

    interval: Theme.toolTipDelay
    running: busy && !isLong
    onBusyChanged: {
        if (!busy)
            isLong = false;
    }
    onTriggered: isLong = true
}
