pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// The rows: a tree whose names stay when it is scrolled sideways, and heads that sort.
FocusScope {
    id: table

    required property OperatorsController controller
    readonly property real cellWidth: Theme.spaceXl * 4
    readonly property real nameWidth: Math.max(Theme.runListWidth * 1.25, across.width - Theme.spaceM - (controller.rows.heads.length - 1) * cellWidth)
    signal copyWanted(int row)

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
        contentWidth: Math.max(width, table.nameWidth + Theme.spaceM + (table.controller.rows.heads.length - 1) * table.cellWidth)
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
                    model: Math.max(0, table.controller.rows.heads.length - 1)
                    delegate: OperatorsHead {
                        required property int index

                        objectName: "operatorsHead" + (index + 1)
                        width: table.cellWidth
                        rows: table.controller.rows
                        column: index + 1
                        onClicked: table.controller.sortBy(column)
                    }
                }
            }
            OperatorsHead {
                objectName: "operatorsHead0"
                x: across.contentX
                width: table.nameWidth
                rows: table.controller.rows
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
            model: table.controller.rows
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
                cellWidth: table.cellWidth
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
