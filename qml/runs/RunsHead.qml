import QtQuick
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// The head of a column: its title, the unit of its numbers; a click sorts by it.
T.Button {
    id: head

    required property int index
    required property string title
    required property string unit
    required property string definition
    required property bool number
    required property double cellWidth
    required property int order
    signal sortWanted

    width: cellWidth
    height: Theme.controlHeight + Theme.spaceM
    leftPadding: Theme.spaceS
    rightPadding: Theme.spaceS
    focusPolicy: Qt.TabFocus
    text: title
    Keys.onReturnPressed: head.clicked()
    Keys.onEnterPressed: head.clicked()
    Accessible.role: Accessible.ColumnHeader
    Accessible.name: unit === "" ? title : qsTr("%1 in %2").arg(title).arg(unit)
    Accessible.description: order === 0 ? qsTr("Sorts by this column") : order < 0 ? qsTr("Sorted, largest first") : qsTr("Sorted, smallest first")
    Accessible.onPressAction: head.clicked()
    onClicked: sortWanted()

    contentItem: RunsHeadText {
        title: head.title
        unit: head.unit
        number: head.number
        order: head.order
        hovered: head.hovered
    }
    background: Rectangle {
        color: head.hovered ? Theme.hovered : Theme.panel

        UiFocusRing {
            control: head
            visible: head.visualFocus
        }
    }

    UiToolTip {
        wanted: head.hovered && head.definition !== ""
        text: head.definition
    }
}
