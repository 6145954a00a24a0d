pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// A run of the table: its name, which stays when the table is scrolled sideways, and its figures.
Item {
    id: row

    required property int index
    required property string name
    required property list<string> cells
    required property string description
    required property bool shown
    required property int colorIndex
    required property RunsController controller
    required property real scrolled
    property bool current: false
    readonly property color surface: shown ? Theme.raised : hover.hovered ? Theme.hovered : Theme.window
    signal onlyWanted
    signal toggleWanted
    signal rangeWanted(bool besideOthers)
    signal editWanted(string key)
    signal openWanted
    signal menuWanted

    implicitHeight: Theme.hitTarget
    Accessible.role: Accessible.Row
    Accessible.name: row.name
    Accessible.description: row.description
    Accessible.selected: row.shown
    Accessible.checkable: true
    Accessible.checked: row.shown
    Accessible.onPressAction: row.onlyWanted()
    Accessible.onToggleAction: row.toggleWanted()

    Rectangle {
        anchors.fill: parent
        color: row.surface
    }
    Row {
        height: parent.height

        Repeater {
            model: row.controller.heads
            delegate: UiText {
                required property int index
                required property bool number
                required property double cellWidth

                width: cellWidth
                height: row.height
                leftPadding: Theme.spaceS
                rightPadding: Theme.spaceS
                verticalAlignment: Text.AlignVCenter
                horizontalAlignment: number ? Text.AlignRight : Text.AlignLeft
                elide: number ? Text.ElideRight : Text.ElideMiddle
                text: index === 0 ? "" : row.cells[index] ?? ""
                Accessible.ignored: true
            }
        }
    }
    Rectangle {
        x: row.scrolled
        width: row.controller.nameWidth
        height: parent.height
        color: row.surface

        RunMark {
            id: mark

            x: Theme.spaceS
            anchors.verticalCenter: parent.verticalCenter
            shown: row.shown
            mark: Theme.seriesColor(Math.max(0, row.colorIndex))
        }
        UiText {
            anchors.left: mark.right
            anchors.right: parent.right
            anchors.leftMargin: Theme.spaceS
            anchors.rightMargin: Theme.spaceS
            anchors.verticalCenter: parent.verticalCenter
            text: row.cells[0] ?? ""
            elide: Text.ElideMiddle
        }
        UiSeparator {
            anchors.right: parent.right
            width: Theme.hairline
            height: parent.height
        }
    }
    Rectangle {
        anchors.fill: parent
        visible: row.current
        color: "transparent"
        border.width: Theme.hairline
        border.color: Theme.accent
    }
    UiToolTip {
        id: tip

        pointerX: hover.point.position.x
        wanted: hover.hovered && tip.text !== "" && tip.text !== "…"
        text: hover.hovered ? row.controller.tipAt(row.index, hover.point.position.x, row.scrolled) : ""
    }
    HoverHandler {
        id: hover
    }
    TapHandler {
        id: tap

        acceptedModifiers: Qt.NoModifier
        onTapped: row.onlyWanted()
        onDoubleTapped: {
            const key = row.controller.heads.editableAt(tap.point.position.x);
            if (key !== "")
                row.editWanted(key);
            else
                row.openWanted();
        }
    }
    TapHandler {
        acceptedModifiers: Qt.ControlModifier
        onTapped: row.toggleWanted()
    }
    TapHandler {
        acceptedModifiers: Qt.ShiftModifier
        onTapped: row.rangeWanted(false)
    }
    TapHandler {
        acceptedModifiers: Qt.ShiftModifier | Qt.ControlModifier
        onTapped: row.rangeWanted(true)
    }
    TapHandler {
        acceptedButtons: Qt.RightButton
        onTapped: row.menuWanted()
    }
}
