import QtQuick
import Trainscope
import Trainscope.App

// What the head of a column says: its title, and below it the unit.
Item {
    id: content

    required property string title
    required property string unit
    required property bool number
    required property int order
    required property bool hovered

    UiText {
        id: label

        width: parent.width
        anchors.bottom: parent.verticalCenter
        text: content.order === 0 ? content.title : content.order < 0 ? "↓ " + content.title : "↑ " + content.title
        horizontalAlignment: content.number ? Text.AlignRight : Text.AlignLeft
        font.pixelSize: Theme.smallSize
        color: content.order !== 0 || content.hovered ? Theme.text : Theme.textSecondary
    }
    UiText {
        width: parent.width
        anchors.top: label.bottom
        text: content.unit
        horizontalAlignment: label.horizontalAlignment
        font.pixelSize: Theme.smallSize
        color: content.hovered ? Theme.textSecondary : Theme.textMuted
    }
}
