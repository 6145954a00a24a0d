import QtQuick
import Trainscope
import Trainscope.App

// The colour of a run while it is shown, else an empty box.
Rectangle {
    required property bool shown
    required property color mark

    width: Theme.spaceM
    height: Theme.spaceM
    radius: Theme.radius - Theme.hairline
    color: shown ? mark : "transparent"
    border.width: Theme.hairline
    border.color: shown ? mark : Theme.outline
}
