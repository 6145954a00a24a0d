pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// A frame: its name below its caller's, with its inputs, and its figures.
Item {
    id: row

    required property int index
    required property string name
    required property string note
    required property string kind
    required property var cells
    required property int depth
    required property bool expandable
    required property bool unfolded
    required property bool found
    required property bool work
    required property color mark
    required property real nameWidth
    required property var widths
    required property real scrolled
    property bool current: false
    property bool focused: false
    readonly property color surface: current ? Theme.raised : hover.hovered ? Theme.hovered : Theme.window
    signal selectWanted
    signal toggleWanted
    signal openWanted

    implicitHeight: Theme.hitTarget
    Accessible.role: Accessible.TreeItem
    Accessible.name: row.name
    Accessible.description: qsTr("%1 %2, %3").arg(row.kind).arg(row.note).arg(row.cells.join(", "))
    Accessible.selected: row.current
    Accessible.onPressAction: row.selectWanted()

    Rectangle {
        anchors.fill: parent
        color: row.surface
    }
    Row {
        x: row.nameWidth
        height: parent.height

        Repeater {
            model: row.cells
            delegate: UiText {
                required property int index
                required property string modelData

                width: row.widths[index] ?? 0
                height: row.height
                rightPadding: Theme.spaceS
                verticalAlignment: Text.AlignVCenter
                horizontalAlignment: Text.AlignRight
                text: modelData
                font.pixelSize: Theme.secondarySize
                Accessible.ignored: true
            }
        }
    }
    Rectangle {
        x: row.scrolled
        width: row.nameWidth
        height: parent.height
        color: row.surface

        UiText {
            id: arrow

            x: Theme.spaceS + row.depth * Theme.spaceS
            width: Theme.spaceM
            height: parent.height
            verticalAlignment: Text.AlignVCenter
            text: !row.expandable ? "" : row.unfolded ? "▾" : "▸"
            color: Theme.textSecondary
            Accessible.ignored: true

            TapHandler {
                enabled: row.expandable
                gesturePolicy: TapHandler.ReleaseWithinBounds
                onTapped: row.toggleWanted()
            }
        }
        Rectangle {
            id: swatch

            anchors.left: arrow.right
            anchors.verticalCenter: parent.verticalCenter
            width: Theme.spaceS
            height: Theme.spaceS
            radius: row.work ? width / 2 : 0
            color: row.mark
        }
        UiText {
            id: label

            anchors.left: swatch.right
            anchors.leftMargin: Theme.spaceXs
            width: Math.min(implicitWidth, parent.width - x - Theme.spaceS)
            height: parent.height
            verticalAlignment: Text.AlignVCenter
            text: row.name
            elide: Text.ElideMiddle
            font.weight: row.found ? Font.DemiBold : Font.Normal
            color: row.work ? Theme.textSecondary : Theme.text
            Accessible.ignored: true
        }
        UiNote {
            id: inputs

            anchors.left: label.right
            anchors.leftMargin: Theme.spaceS
            anchors.right: parent.right
            anchors.rightMargin: Theme.spaceS
            height: parent.height
            visible: width > Theme.spaceXl
            verticalAlignment: Text.AlignVCenter
            text: row.note
            Accessible.ignored: true
        }
        UiSeparator {
            anchors.right: parent.right
            width: Theme.hairline
            height: parent.height
        }
    }
    Rectangle {
        anchors.fill: parent
        visible: row.focused
        color: "transparent"
        border.width: Theme.hairline
        border.color: Theme.accent
    }
    UiToolTip {
        pointerX: hover.point.position.x
        wanted: hover.hovered && (label.truncated || inputs.truncated || (row.note !== "" && !inputs.visible))
        text: row.note !== "" ? qsTr("%1\n%2\n%3").arg(row.name).arg(row.note).arg(row.kind) : qsTr("%1\n%2").arg(row.name).arg(row.kind)
    }
    HoverHandler {
        id: hover
    }
    TapHandler {
        onTapped: row.selectWanted()
        onDoubleTapped: row.openWanted()
    }
}
