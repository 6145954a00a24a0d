import QtQuick
import Trainscope
import Trainscope.App

// The painted flag of a mark as a button: it jumps to the mark, renames and removes it.
UiPressable {
    id: flag

    required property TimelineController controller
    required property int index
    required property string markLabel
    required property rect flagPlace
    signal menuWanted
    signal renameWanted

    x: flagPlace.x
    y: flagPlace.y
    width: flagPlace.width
    height: flagPlace.height
    visible: flagPlace.width > 0 && controller.ready
    label: markLabel
    onClicked: controller.marks.jumpTo(index)
    Keys.onDeletePressed: controller.marks.remove(index)
    Keys.onPressed: event => {
        event.accepted = event.key === Qt.Key_F2;
        if (event.accepted)
            renameWanted();
    }

    UiFocusRing {
        control: flag
    }
    UiToolTip {
        wanted: flag.hovered || flag.visualFocus
        text: "Jump to %1; F2 renames, Delete removes it".arg(flag.markLabel)
    }
    TapHandler {
        acceptedButtons: Qt.RightButton
        onTapped: flag.menuWanted()
    }
}
