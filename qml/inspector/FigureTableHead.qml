import QtQuick
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// The head of one column; a click sorts by it.
T.Button {
    id: head

    required property FigureTableModel figures
    required property int column
    readonly property bool sorted: figures.sortColumn === column
    readonly property bool named: column === 0

    implicitHeight: Theme.hitTarget
    leftPadding: head.named ? 0 : Theme.hairline
    focusPolicy: Qt.StrongFocus
    text: figures.heads[column] ?? ""
    Keys.onReturnPressed: head.clicked()
    Keys.onEnterPressed: head.clicked()
    Accessible.role: Accessible.ColumnHeader
    Accessible.name: text
    Accessible.description: !sorted ? qsTr("Sorts by this column") : figures.descending ? qsTr("Sorted, largest first") : qsTr("Sorted, smallest first")
    Accessible.onPressAction: head.clicked()
    onClicked: figures.sortBy(column)

    contentItem: UiText {
        text: !head.sorted ? head.text : head.figures.descending ? "↓ " + head.text : "↑ " + head.text
        horizontalAlignment: head.named ? Text.AlignLeft : Text.AlignRight
        verticalAlignment: Text.AlignVCenter
        font.pixelSize: Theme.smallSize
        color: head.sorted || head.hovered ? Theme.text : Theme.textSecondary
    }
    background: UiFocusRing {
        control: head
        visible: head.visualFocus
    }
}
