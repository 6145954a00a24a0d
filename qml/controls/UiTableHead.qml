import QtQuick
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// The head of a column of a table: its title, below it the unit of its numbers; a click sorts by it. The title is a `label`: of a
// button's `text` an ampersand makes keys of the whole window.
T.Button {
    id: head

    property string label: ""
    property string unit: ""
    property string tip: ""
    property bool number: false
    property int order: 0 // 1: sorted by it, smallest first; −1: largest first
    property bool sortable: true
    property bool plain: false // on whatever is below it
    readonly property bool lit: sortable && (order !== 0 || hovered)

    implicitHeight: Theme.hitTarget
    leftPadding: Theme.spaceS
    rightPadding: Theme.spaceS
    focusPolicy: sortable ? Qt.TabFocus : Qt.NoFocus
    hoverEnabled: true
    Keys.onReturnPressed: head.clicked()
    Keys.onEnterPressed: head.clicked()
    Accessible.role: Accessible.ColumnHeader
    Accessible.name: unit === "" ? label : "%1 in %2".arg(label).arg(unit)
    Accessible.description: !sortable ? "" : order === 0 ? "Sorts by this column" : order < 0 ? "Sorted, largest first" : "Sorted, smallest first"
    Accessible.onPressAction: head.clicked()

    contentItem: Item {
        UiText {
            id: title

            width: parent.width
            y: head.unit !== "" ? parent.height / 2 - height : (parent.height - height) / 2
            text: head.order === 0 ? head.label : head.order < 0 ? "↓ " + head.label : "↑ " + head.label
            horizontalAlignment: head.number ? Text.AlignRight : Text.AlignLeft
            font.pixelSize: Theme.smallSize
            color: head.lit ? Theme.text : Theme.textSecondary
        }
        UiText {
            width: parent.width
            anchors.top: title.bottom
            visible: head.unit !== ""
            text: head.unit
            horizontalAlignment: title.horizontalAlignment
            font.pixelSize: Theme.smallSize
            color: head.lit ? Theme.textSecondary : Theme.textMuted
        }
    }
    background: Rectangle {
        color: head.plain ? "transparent" : head.sortable && head.hovered ? Theme.hovered : Theme.panel

        UiFocusRing {
            control: head
            visible: head.visualFocus
        }
    }

    UiToolTip {
        wanted: head.hovered && (head.tip !== "" || title.truncated)
        text: head.tip !== "" ? head.tip : head.label
    }
}
