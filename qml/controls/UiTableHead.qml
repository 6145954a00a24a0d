import QtQuick
import Trainscope
import Trainscope.App

// The head of a column of a table: its title, below it the unit of its numbers; a click sorts by it.
UiPressable {
    id: head

    property string unit: ""
    property string tip: ""
    property bool number: false
    property int order: 0 // 1: sorted by it, smallest first; −1: largest first
    property bool sortable: true
    property bool plain: false // on whatever is below it

    implicitHeight: Theme.hitTarget
    leftPadding: Theme.spaceS
    rightPadding: Theme.spaceS
    focusPolicy: sortable ? Qt.TabFocus : Qt.NoFocus
    hoverEnabled: true
    Accessible.role: Accessible.ColumnHeader
    Accessible.name: unit === "" ? label : "%1 in %2".arg(label).arg(unit)
    Accessible.description: !sortable ? "" : order === 0 ? "Sorts by this column" : order < 0 ? "Sorted, largest first" : "Sorted, smallest first"

    contentItem: UiTableHeadText {
        label: head.order === 0 ? head.label : head.order < 0 ? "↓ " + head.label : "↑ " + head.label
        unit: head.unit
        number: head.number
        lit: head.sortable && (head.order !== 0 || head.hovered)
    }
    background: Rectangle {
        color: head.plain ? "transparent" : head.sortable && head.hovered ? Theme.hovered : Theme.panel

        UiFocusRing {
            control: head
        }
    }

    UiToolTip {
        wanted: head.hovered && (head.tip !== "" || (head.contentItem as UiTableHeadText).truncated)
        text: head.tip !== "" ? head.tip : head.label
    }
}
