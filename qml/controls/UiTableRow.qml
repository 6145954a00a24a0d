pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// A row of a table: the cell that stays when it is scrolled sideways, with its mark, its place in a tree and its note, and the others.
Item {
    id: row

    required property int index
    required property string name
    required property string spoken
    required property string note
    required property list<string> cells
    required property list<bool> missing
    required property color mark
    required property bool round
    required property int depth
    required property bool expandable
    required property bool unfolded
    required property bool chosen
    required property bool strong
    required property bool quiet
    required property TableModel table
    property real scrolled: 0
    property int textSize: Theme.secondarySize
    property bool tree: false
    property bool checkable: false // its mark is a box
    property bool current: false
    property bool focused: false
    readonly property color surface: chosen || (current && !checkable) ? Theme.raised : hover.hovered ? Theme.hovered : Theme.window
    signal picked(int modifiers)
    signal toggled
    signal unfoldWanted
    signal opened(real x)
    signal menuWanted

    // The text under the pointer does not fit.
    function isCut(x: real): bool {
        if (x - scrolled < table.nameWidth)
            return label.truncated || beside.truncated || (note !== "" && !beside.visible);
        const cell = others.childAt(x - others.x, others.height / 2) as UiText;
        return cell !== null && cell.truncated;
    }

    implicitHeight: Theme.hitTarget
    Accessible.role: tree ? Accessible.TreeItem : Accessible.Row
    Accessible.name: row.name
    Accessible.description: row.spoken
    Accessible.selected: row.chosen || row.current
    Accessible.checkable: row.checkable
    Accessible.checked: row.checkable && row.chosen
    Accessible.onPressAction: row.picked(Qt.NoModifier)
    Accessible.onToggleAction: row.toggled()

    Rectangle {
        anchors.fill: parent
        color: row.surface
    }
    Row {
        id: others

        x: row.table.seenLeft
        height: parent.height

        Repeater {
            model: row.table.seenCount
            delegate: UiText {
                required property int index
                readonly property int column: row.table.firstSeen + index
                readonly property bool number: row.table.numbers[column] ?? false

                width: row.table.widths[column] ?? 0
                height: row.height
                leftPadding: Theme.spaceS
                rightPadding: Theme.spaceS
                verticalAlignment: Text.AlignVCenter
                horizontalAlignment: number ? Text.AlignRight : Text.AlignLeft
                elide: number ? Text.ElideRight : Text.ElideMiddle
                text: row.cells[column] ?? ""
                color: row.missing[column] === true ? Theme.textMuted : Theme.text
                font.pixelSize: row.textSize
                Accessible.ignored: true
            }
        }
    }
    Rectangle {
        x: row.scrolled
        width: row.table.nameWidth
        height: parent.height
        color: row.surface

        UiText {
            id: arrow

            x: Theme.spaceS + row.depth * Theme.spaceS
            width: row.tree ? Theme.spaceM : 0
            height: parent.height
            verticalAlignment: Text.AlignVCenter
            text: !row.expandable ? "" : row.unfolded ? "▾" : "▸"
            color: Theme.textSecondary
            Accessible.ignored: true

            TapHandler {
                enabled: row.expandable
                gesturePolicy: TapHandler.ReleaseWithinBounds
                onTapped: row.unfoldWanted()
            }
        }
        RunMark {
            id: box

            anchors.left: arrow.right
            anchors.verticalCenter: parent.verticalCenter
            visible: row.checkable
            width: visible ? Theme.spaceM : 0
            shown: row.chosen
            mark: row.mark
        }
        Rectangle {
            id: swatch

            anchors.left: box.right
            anchors.verticalCenter: parent.verticalCenter
            visible: !row.checkable && row.mark.a > 0
            width: visible ? Theme.spaceS : 0
            height: Theme.spaceS
            radius: row.round ? width / 2 : 0
            color: row.mark
        }
        UiText {
            id: label

            anchors.left: swatch.right
            anchors.leftMargin: box.visible ? Theme.spaceS : swatch.visible ? Theme.spaceXs : 0
            width: row.note === "" ? parent.width - x - Theme.spaceS : Math.min(Math.ceil(metrics.advanceWidth), parent.width - x - Theme.spaceS)
            height: parent.height
            verticalAlignment: Text.AlignVCenter
            horizontalAlignment: row.table.numbers[0] === true ? Text.AlignRight : Text.AlignLeft
            text: row.cells[0] ?? ""
            elide: row.table.numbers[0] === true ? Text.ElideRight : Text.ElideMiddle
            font.pixelSize: row.textSize
            font.weight: row.strong ? Font.DemiBold : Font.Normal
            color: row.missing[0] === true ? Theme.textMuted : row.quiet ? Theme.textSecondary : Theme.text
            Accessible.ignored: true
        }
        // The label's own implicit width follows its width where it is cut.
        TextMetrics {
            id: metrics

            font: label.font
            text: row.note === "" ? "" : label.text
        }
        UiNote {
            id: beside

            anchors.left: label.right
            anchors.leftMargin: Theme.spaceS
            anchors.right: parent.right
            anchors.rightMargin: Theme.spaceS
            height: parent.height
            visible: row.note !== "" && width > Theme.spaceXl
            verticalAlignment: Text.AlignVCenter
            text: row.note
            elide: Text.ElideMiddle
            Accessible.ignored: true
        }
        UiSeparator {
            anchors.right: parent.right
            width: Theme.hairline
            height: parent.height
            visible: row.table.seenCount > 0
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
        id: tip

        pointerX: hover.point.position.x
        wanted: hover.hovered && tip.text !== ""
        text: hover.hovered ? row.table.tipAt(row.index, hover.point.position.x, row.scrolled, row.isCut(hover.point.position.x)) : ""
    }
    HoverHandler {
        id: hover
    }
    TapHandler {
        id: tap

        onTapped: row.picked(tap.point.modifiers)
        onDoubleTapped: row.opened(tap.point.position.x)
    }
    TapHandler {
        acceptedButtons: Qt.RightButton
        onTapped: row.menuWanted()
    }
}
