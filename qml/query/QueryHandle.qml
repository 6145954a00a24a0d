import QtQuick
import Trainscope
import Trainscope.App

// The line between two parts, which is dragged, or moved by arrows: `moved` says how far.
Item {
    id: handle

    property bool vertical: false
    signal moved(real by)

    implicitWidth: Theme.spaceXs
    implicitHeight: Theme.spaceXs
    activeFocusOnTab: true
    Accessible.role: Accessible.Splitter
    Accessible.name: handle.vertical ? "Line between left and right" : "Line between above and below"
    Accessible.focusable: true
    Keys.onPressed: event => event.accepted = handle.handleKey(event.key)

    function handleKey(key: int): bool {
        const steps = new Map([[Qt.Key_Up, -1], [Qt.Key_Left, -1], [Qt.Key_Down, 1], [Qt.Key_Right, 1]]);
        if (steps.has(key))
            handle.moved(steps.get(key) * Theme.spaceXl);
        return steps.has(key);
    }

    UiSeparator {
        anchors.centerIn: parent
        vertical: handle.vertical
        width: handle.vertical ? Theme.hairline : parent.width
        height: handle.vertical ? parent.height : Theme.hairline
    }
    UiFocusRing {
        control: handle
        anchors.margins: 0
    }
}
