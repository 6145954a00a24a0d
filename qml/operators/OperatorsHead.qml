import QtQuick
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// The head of a column of rows; a click sorts by it.
T.Button {
    id: head

    required property OperatorRowModel rows
    required property int column
    readonly property bool sorted: rows.sortColumn === column
    readonly property string tip: rows.tips[column] ?? ""

    implicitHeight: Theme.hitTarget
    leftPadding: Theme.spaceS
    rightPadding: Theme.spaceS
    focusPolicy: Qt.TabFocus
    text: rows.heads[column] ?? ""
    Keys.onReturnPressed: head.clicked()
    Keys.onEnterPressed: head.clicked()
    Accessible.role: Accessible.ColumnHeader
    Accessible.name: text
    Accessible.description: !sorted ? qsTr("Sorts by this column") : rows.descending ? qsTr("Sorted, largest first") : qsTr("Sorted, smallest first")
    Accessible.onPressAction: head.clicked()

    contentItem: UiText {
        text: !head.sorted ? head.text : head.rows.descending ? "↓ " + head.text : "↑ " + head.text
        horizontalAlignment: head.column === 0 ? Text.AlignLeft : Text.AlignRight
        verticalAlignment: Text.AlignVCenter
        font.pixelSize: Theme.smallSize
        color: head.sorted || head.hovered ? Theme.text : Theme.textSecondary
    }
    background: Rectangle {
        color: head.hovered ? Theme.hovered : Theme.panel

        UiFocusRing {
            control: head
            visible: head.visualFocus
        }
    }

    UiToolTip {
        wanted: head.hovered && head.tip !== ""
        text: head.tip
    }
}
