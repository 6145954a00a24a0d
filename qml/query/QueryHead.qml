import QtQuick
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// The head of a column of the answer. Its name is a `label`: of a button's `text` an ampersand makes
// keys of the whole window.
T.Button {
    id: head

    required property string label
    required property bool sorted
    required property bool descending

    implicitHeight: Theme.hitTarget
    leftPadding: Theme.spaceS
    rightPadding: Theme.spaceS
    focusPolicy: Qt.TabFocus
    Keys.onReturnPressed: head.clicked()
    Keys.onEnterPressed: head.clicked()
    Accessible.role: Accessible.ColumnHeader
    Accessible.name: label
    Accessible.description: !sorted ? qsTr("Sorts by this column") : descending ? qsTr("Sorted, largest first") : qsTr("Sorted, smallest first")
    Accessible.onPressAction: head.clicked()

    contentItem: UiText {
        text: !head.sorted ? head.label : head.descending ? "↓ " + head.label : "↑ " + head.label
        verticalAlignment: Text.AlignVCenter
        font.pixelSize: Theme.secondarySize
        font.weight: Font.Medium
        color: head.sorted || head.hovered ? Theme.text : Theme.textSecondary
    }
    background: UiFocusRing {
        control: head
        visible: head.visualFocus
    }
}
