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

    contentItem: HeadText {
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
        wanted: head.hovered && (head.tip !== "" || (head.contentItem as HeadText).truncated)
        text: head.tip !== "" ? head.tip : head.label
    }

    // The title, and below it the unit.
    component HeadText: Item {
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
}
