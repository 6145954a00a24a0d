import QtQuick
import Trainscope
import Trainscope.App

// The text of the head of a column: its title, and below it the unit.
Item {
    id: content

    property string label: ""
    property string unit: ""
    property bool number: false
    property bool lit: false
    readonly property alias truncated: title.truncated

    UiText {
        id: title

        width: parent.width
        y: content.unit !== "" ? parent.height / 2 - height : (parent.height - height) / 2
        text: content.label
        horizontalAlignment: content.number ? Text.AlignRight : Text.AlignLeft
        font.pixelSize: Theme.smallSize
        color: content.lit ? Theme.text : Theme.textSecondary
    }
    UiText {
        width: parent.width
        anchors.top: title.bottom
        visible: content.unit !== ""
        text: content.unit
        horizontalAlignment: title.horizontalAlignment
        font.pixelSize: Theme.smallSize
        color: content.lit ? Theme.textSecondary : Theme.textMuted
    }
}
