import QtQuick
import Trainscope
import Trainscope.App

// A cell of the answer: numbers at the right, NULL said less loudly.
Rectangle {
    id: cell

    required property int row
    required property string display
    required property bool missing
    required property bool figure
    property int currentRow: -1

    implicitWidth: Theme.hitTarget
    implicitHeight: Theme.hitTarget
    color: cell.row === cell.currentRow ? Theme.raised : "transparent"
    Accessible.role: Accessible.Cell
    Accessible.name: cell.display

    UiText {
        id: label

        anchors.fill: parent
        anchors.leftMargin: Theme.spaceS
        anchors.rightMargin: Theme.spaceS
        verticalAlignment: Text.AlignVCenter
        horizontalAlignment: cell.figure ? Text.AlignRight : Text.AlignLeft
        text: cell.display
        color: cell.missing ? Theme.textMuted : Theme.text
        font.pixelSize: Theme.secondarySize
        Accessible.ignored: true
    }
    HoverHandler {
        id: hover
    }
    UiToolTip {
        wanted: hover.hovered && label.truncated
        text: cell.display
    }
}
