pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// The rows: a tree whose names stay when it is scrolled sideways, and heads that sort.
FocusScope {
    id: table

    required property OperatorsController controller
    readonly property OperatorRowModel rows: controller.rows
    readonly property real nameWidth: Math.max(Theme.runListWidth / 2, across.width - Theme.spaceM - rows.cellsWidth)
    readonly property real room: width - Theme.spaceM
    signal copyWanted(int row)

    onRoomChanged: rows.room = room
    Accessible.role: Accessible.Table
    Accessible.name: qsTr("Rows")

    function handleKey(event) {
        if (event.key === Qt.Key_Up || event.key === Qt.Key_Down)
            table.moveTo(controller.row + (event.key === Qt.Key_Up ? -1 : 1));
        else if (event.key === Qt.Key_PageUp || event.key === Qt.Key_PageDown)
            table.moveTo(controller.row + (event.key === Qt.Key_PageUp ? -list.page : list.page));
        else if (event.key === Qt.Key_Home || event.key === Qt.Key_End)
            table.moveTo(event.key === Qt.Key_Home ? 0 : list.count - 1);
        else if (event.key === Qt.Key_Left)
            controller.fold();
        else if (event.key === Qt.Key_Right)
            controller.unfold();
        else if (event.key === Qt.Key_Return || event.key === Qt.Key_Enter)
            controller.openSelected();
        else
            return false;
        return true;
    }
    function moveTo(row: int) {
        controller.selectRow(Math.max(0, Math.min(list.count - 1, row)));
    }

    Rectangle {
        anchors.fill: parent
        color: Theme.window
    }
    Flickable {
        id: across

        anchors.fill: parent
        contentWidth: Math.max(width, table.nameWidth + Theme.spaceM + table.rows.cellsWidth)
        contentHeight: height
        flickableDirection: Flickable.HorizontalFlick
        boundsBehavior: Flickable.StopAtBounds
        clip: true
        UiScrollBar.horizontal: UiScrollBar {}

        Rectangle {
            id: heads

            width: across.contentWidth
            height: Theme.hitTarget
            color: Theme.panel

            Row {
                x: table.nameWidth

                Repeater {
                    model: table.rows.widths
                    delegate: OperatorsHead {
                        required property int index
                        required property double modelData

                        objectName: "operatorsHead" + (index + 1)
                        width: modelData
                        rows: table.rows
                        column: index + 1
                        onClicked: table.controller.sortBy(column)
                    }
                }
            }
            OperatorsHead {
                objectName: "operatorsHead0"
                x: across.contentX
                width: table.nameWidth
                rows: table.rows
                column: 0
                onClicked: table.controller.sortBy(column)
            }
            UiSeparator {
                anchors.bottom: parent.bottom
                width: parent.width
            }
        }
        ListView {
            id: list

            readonly property int page: Math.max(1, Math.floor(height / Theme.hitTarget) - 1)

            objectName: "operatorsList"
            anchors.top: heads.bottom
            anchors.bottom: parent.bottom
            anchors.bottomMargin: across.contentWidth > across.width ? Theme.spaceM : 0
            width: across.contentWidth
            clip: true
            focus: true
            activeFocusOnTab: true
            keyNavigationEnabled: false
            boundsBehavior: Flickable.StopAtBounds
            model: table.rows
            currentIndex: table.controller.row
            highlightMoveDuration: 0
            Accessible.role: Accessible.Tree
            Accessible.name: qsTr("Frames")
            UiScrollBar.vertical: UiScrollBar {
                parent: table
                x: table.width - width
                y: heads.height
                height: list.height
            }
            Keys.onPressed: event => {
                if (event.matches(StandardKey.Copy) && table.controller.row >= 0) {
                    table.copyWanted(table.controller.row);
                    event.accepted = true;
                } else {
                    event.accepted = table.handleKey(event);
                }
            }

            delegate: OperatorsRow {
                objectName: "operatorsRow" + index
                width: list.width
                nameWidth: table.nameWidth
                widths: table.rows.widths
                scrolled: across.contentX
                current: ListView.isCurrentItem
                focused: current && list.activeFocus
                onSelectWanted: {
                    list.forceActiveFocus(Qt.MouseFocusReason);
                    table.controller.selectRow(index);
                }
                onToggleWanted: table.controller.toggle(index)
                onOpenWanted: table.controller.openRow(index)
            }
        }
    }
    UiFocusRing {
        control: list
        anchors.margins: 0
        opacity: 0.5
    }
}
