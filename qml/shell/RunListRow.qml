pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// A row of the run list: the head of a group, or a run as a card or a line.
Item {
    id: row

    required property int index
    required property string name
    required property string whole // told from one that reads alike
    required property string label
    required property bool head
    required property string detail
    required property list<string> tags
    required property string strongTag
    required property bool shown
    required property int colorIndex
    required property list<real> curve
    required property string description
    required property string tip
    required property bool folded
    required property int membersState
    required property string membersText
    required property bool dense
    required property bool grouped
    property bool current: false
    signal onlyWanted
    signal toggleWanted
    signal rangeWanted(bool besideOthers)
    signal foldWanted
    signal menuWanted

    readonly property color mark: Theme.seriesColor(Math.max(0, colorIndex))

    implicitHeight: head ? group.implicitHeight : entry.implicitHeight
    Accessible.role: Accessible.ListItem
    Accessible.name: row.head ? "Folder %1, runs: %2".arg(row.label).arg(row.membersText) : row.description
    Accessible.selected: row.shown
    Accessible.checkable: true
    Accessible.checked: row.head ? row.membersState === Qt.Checked : row.shown
    Accessible.onPressAction: row.head ? row.foldWanted() : row.onlyWanted()
    Accessible.onToggleAction: row.toggleWanted()

    Rectangle {
        anchors.fill: parent
        anchors.leftMargin: Theme.spaceS
        anchors.rightMargin: Theme.spaceS
        anchors.bottomMargin: row.dense || row.head ? Theme.hairline : Theme.spaceXs
        radius: Theme.radius + Theme.hairline
        color: row.shown ? Theme.raised : hover.hovered ? Theme.hovered : "transparent"
        border.width: row.current ? 2 * Theme.hairline : 0
        border.color: Theme.accent
    }
    Item {
        id: group

        width: parent.width
        implicitHeight: Theme.controlHeight + Theme.spaceXs
        visible: row.head

        Icon {
            id: chevron

            x: Theme.spaceM
            anchors.verticalCenter: parent.verticalCenter
            width: Theme.iconSize
            height: Theme.iconSize
            name: row.folded ? "chevronRight" : "chevronDown"
            color: Theme.textSecondary
        }
        UiText {
            anchors.left: chevron.right
            anchors.right: number.left
            anchors.leftMargin: Theme.spaceXs
            anchors.rightMargin: Theme.spaceS
            anchors.verticalCenter: parent.verticalCenter
            text: row.label
            elide: Text.ElideMiddle
            font.weight: Font.Medium
        }
        UiNote {
            id: number

            anchors.right: whole.left
            anchors.rightMargin: Theme.spaceXs
            anchors.verticalCenter: parent.verticalCenter
            text: row.membersText
        }
        UiCheckBox {
            id: whole

            anchors.right: parent.right
            anchors.rightMargin: Theme.spaceM
            anchors.verticalCenter: parent.verticalCenter
            focusPolicy: Qt.NoFocus
            label: "All runs of %1".arg(row.label)
            checkState: row.membersState
            // The model says what it becomes.
            nextCheckState: () => checkState
            onClicked: row.toggleWanted()
        }
    }
    RunEntry {
        id: entry

        width: parent.width
        visible: !row.head
        dense: row.dense
        indent: row.grouped && row.dense ? Theme.spaceM : 0
        name: row.whole
        label: row.label
        detail: row.detail
        tags: row.tags
        strongTag: row.strongTag
        shown: row.shown
        mark: row.mark
        curve: row.curve
        onToggleWanted: row.toggleWanted()
    }
    UiToolTip {
        wanted: hover.hovered && !entry.overMark
        text: row.head ? row.tip : "%1\nClick: this run alone. Ctrl+click: beside the others.".arg(row.dense ? row.tip : row.name)
        delay: Theme.toolTipDelay * 2
    }
    HoverHandler {
        id: hover
    }
    TapHandler {
        acceptedModifiers: Qt.NoModifier
        onTapped: row.head ? row.foldWanted() : row.onlyWanted()
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
