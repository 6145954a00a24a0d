import QtQuick
import Trainscope
import Trainscope.App

// One labelled value; long values go under their label.
Item {
    id: row

    required property string label
    required property string value
    required property bool isHead
    readonly property bool tall: value !== "" && name.implicitWidth + measure.advanceWidth + Theme.spaceL > width

    implicitHeight: tall ? figure.y + figure.height : Math.max(name.height, figure.height)
    Accessible.role: isHead ? Accessible.Heading : Accessible.ListItem
    Accessible.name: isHead ? label : qsTr("%1: %2").arg(label).arg(value)

    UiText {
        id: name

        width: Math.min(implicitWidth, parent.width)
        text: row.label
        color: row.isHead ? Theme.text : Theme.textSecondary
        font.weight: row.isHead ? Font.DemiBold : Font.Normal
    }
    TextMetrics {
        id: measure

        text: row.value
        font: figure.font
    }
    UiText {
        id: figure

        y: row.tall ? name.height : 0
        width: parent.width
        horizontalAlignment: Text.AlignRight
        text: row.value
        wrapMode: Text.WrapAnywhere
        maximumLineCount: 6
        font.weight: Font.Medium
    }
}
