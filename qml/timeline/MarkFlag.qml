import QtQuick
import Trainscope
import Trainscope.App

// A mark: its stretch, and a flag on the time axis that jumps to it, renames and removes it.
Item {
    id: flag

    required property TimelineController controller
    required property int index
    required property string markLabel
    required property real markX
    required property real markWidth
    required property bool markVisible
    signal menuWanted
    signal renameWanted

    x: markX
    width: Math.max(markWidth, Theme.hairline)
    visible: markVisible && controller.ready

    Rectangle {
        y: flag.controller.lanes.top
        width: Theme.hairline
        height: parent.height - y
        color: Theme.warning
    }
    Rectangle {
        anchors.right: parent.right
        y: flag.controller.lanes.top
        width: Theme.hairline
        height: parent.height - y
        visible: flag.markWidth > 0
        color: Theme.warning
    }
    Rectangle {
        y: flag.controller.lanes.top
        width: parent.width
        height: Theme.hairline * 2
        color: Theme.warning
    }
    // Over the iterations, where it hides neither samples nor readouts.
    Rectangle {
        anchors.fill: button
        radius: Theme.radius
        color: Theme.raised
    }
    UiButton {
        id: button

        y: flag.controller.lanes.top - height
        implicitHeight: Theme.hitTarget
        leftPadding: Theme.spaceXs
        rightPadding: Theme.spaceXs
        iconName: "flag"
        label: flag.markLabel
        toolTip: "Jump to the mark; F2 renames, Delete removes it"
        onClicked: flag.controller.marks.jumpTo(flag.index)
        Keys.onDeletePressed: flag.controller.marks.remove(flag.index)
        Keys.onPressed: event => {
            event.accepted = event.key === Qt.Key_F2;
            if (event.accepted)
                flag.renameWanted();
        }

        TapHandler {
            acceptedButtons: Qt.RightButton
            onTapped: flag.menuWanted()
        }
    }
}
