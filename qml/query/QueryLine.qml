import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// A line that does something at a click: an example, a past query, a table or a column.
UiPressable {
    id: line

    property string note: ""
    property string tip: ""
    property bool strong: false
    property real indent: 0

    implicitHeight: Theme.hitTarget
    leftPadding: Theme.spaceXs + indent
    rightPadding: Theme.spaceXs
    focusPolicy: Qt.TabFocus
    Accessible.description: tip

    contentItem: RowLayout {
        spacing: Theme.spaceS

        UiText {
            Layout.fillWidth: true
            text: line.label
            font.pixelSize: Theme.secondarySize
            font.weight: line.strong ? Font.Medium : Font.Normal
        }
        UiNote {
            text: line.note
            font.pixelSize: Theme.smallSize
        }
    }
    background: Rectangle {
        radius: Theme.radius
        color: line.down ? Theme.raised : line.hovered ? Theme.hovered : "transparent"

        UiFocusRing {
            control: line
        }
    }

    UiToolTip {
        wanted: line.tip !== "" && (line.hovered || line.visualFocus)
        text: line.tip
    }
}
