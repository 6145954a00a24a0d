import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// A line that does something at a click: an example, a past query, a table or a column. Its text
// is a `label`: of a button's `text` an ampersand makes keys of the whole window.
T.Button {
    id: line

    required property string label
    property string note: ""
    property string tip: ""
    property bool strong: false
    property real indent: 0

    implicitHeight: Theme.hitTarget
    leftPadding: Theme.spaceXs + indent
    rightPadding: Theme.spaceXs
    focusPolicy: Qt.TabFocus
    Keys.onReturnPressed: line.clicked()
    Keys.onEnterPressed: line.clicked()
    Accessible.onPressAction: line.clicked()
    Accessible.role: Accessible.Button
    Accessible.name: label
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
            visible: line.visualFocus
        }
    }

    UiToolTip {
        wanted: line.tip !== "" && (line.hovered || line.visualFocus)
        text: line.tip
    }
}
