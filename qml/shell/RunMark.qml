import QtQuick
import Trainscope
import Trainscope.App

// The colour of a run while it is shown, else an empty box. A click shows or hides the run beside
// the others.
Rectangle {
    id: box

    required property bool shown
    required property color mark
    readonly property bool hovered: area.containsMouse
    signal toggled

    MouseArea {
        id: area

        objectName: "mark"
        anchors.fill: parent
        anchors.margins: -Theme.spaceXs * 1.5
        hoverEnabled: true
        cursorShape: Qt.PointingHandCursor
        // With a key held it is a click on the row.
        onPressed: mouse => mouse.accepted = mouse.modifiers === Qt.NoModifier
        onClicked: box.toggled()

        UiToolTip {
            wanted: area.containsMouse
            text: box.shown ? "Hide this run" : "Show this run beside the others"
        }
    }

    width: Theme.spaceM
    height: Theme.spaceM
    radius: Theme.radius - Theme.hairline
    color: shown ? mark : "transparent"
    border.width: Theme.hairline
    border.color: shown ? mark : Theme.outline
}
