pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// The table of runs: heads that sort, rows that are chosen as in the list of runs, and the field in
// which tags and notes are edited.
FocusScope {
    id: table

    required property RunsController controller
    required property string subject // the database
    signal copyWanted(string text)
    signal menuWanted(int row)

    readonly property int current: list.currentIndex

    function edit(row: int, key: string) {
        if (row < 0)
            return;
        controller.showColumn(key);
        list.currentIndex = row;
        list.positionViewAtIndex(row, ListView.Contain);
        table.showColumn(controller.heads.leftOf(key), controller.heads.widthOf(key));
        editor.begin(row, key);
    }
    function showColumn(left: real, width: real) {
        const most = left - controller.nameWidth;
        const least = left + width - across.width;
        table.scrollTo(Math.max(least, Math.min(most, across.contentX)));
    }
    function scrollTo(x: real) {
        across.contentX = Math.max(0, Math.min(across.contentWidth - across.width, x));
    }
    function handleKey(event) {
        const shift = event.modifiers & Qt.ShiftModifier;
        if (event.matches(StandardKey.SelectAll))
            controller.chooseAll();
        else if (event.matches(StandardKey.Copy))
            table.copyWanted(controller.chosenRowsText());
        else if (event.matches(StandardKey.Undo))
            controller.undo();
        else if (event.matches(StandardKey.Redo))
            controller.redo();
        else if (event.key === Qt.Key_Up || event.key === Qt.Key_Down)
            table.moveBy(event.key === Qt.Key_Up ? -1 : 1, shift);
        else if (event.key === Qt.Key_PageUp || event.key === Qt.Key_PageDown)
            table.moveBy(event.key === Qt.Key_PageUp ? -list.page : list.page, shift);
        else if (event.key === Qt.Key_Home || event.key === Qt.Key_End)
            table.moveBy(event.key === Qt.Key_Home ? -list.count : list.count, shift);
        else if (event.key === Qt.Key_Left || event.key === Qt.Key_Right)
            table.scrollTo(across.contentX + (event.key === Qt.Key_Left ? -1 : 1) * Theme.spaceXl * 3);
        else if (event.modifiers !== Qt.NoModifier)
            return false;
        else if (event.key === Qt.Key_T)
            table.edit(list.currentIndex, "tags");
        else if (event.key === Qt.Key_N)
            table.edit(list.currentIndex, "note");
        else if (event.key === Qt.Key_C)
            controller.open(Views.Compare);
        else if (event.key === Qt.Key_S)
            controller.open(Views.Sweep);
        else if (event.key === Qt.Key_H)
            controller.open(Views.Heatmap);
        else
            return false;
        return true;
    }
    function moveBy(rows: int, ranging: bool) {
        list.currentIndex = Math.max(0, Math.min(list.count - 1, list.currentIndex + rows));
        if (ranging)
            controller.chooseRange(list.currentIndex);
        else
            controller.beginRange(list.currentIndex);
    }

    Flickable {
        id: across

        anchors.fill: parent
        contentWidth: Math.max(width, table.controller.tableWidth)
        contentHeight: height
        flickableDirection: Flickable.HorizontalFlick
        boundsBehavior: Flickable.StopAtBounds
        clip: true
        UiScrollBar.horizontal: UiScrollBar {}

        Item {
            width: across.contentWidth
            height: across.height

            Rectangle {
                id: heads

                width: parent.width
                height: Theme.controlHeight + Theme.spaceM
                color: Theme.panel
                Accessible.role: Accessible.Pane
                Accessible.name: qsTr("Columns")

                Row {
                    Repeater {
                        model: table.controller.heads
                        // The first stays where the table is scrolled.
                        delegate: RunsHead {
                            objectName: "head" + index
                            opacity: index === 0 ? 0 : 1
                            enabled: index > 0
                            onSortWanted: table.controller.sortBy(index)
                        }
                    }
                }
                Repeater {
                    model: table.controller.heads
                    delegate: RunsHead {
                        objectName: index === 0 ? "nameHead" : ""
                        x: across.contentX
                        visible: index === 0
                        onSortWanted: table.controller.sortBy(index)
                    }
                }
                UiSeparator {
                    anchors.bottom: parent.bottom
                    width: parent.width
                }
            }
            ListView {
                id: list

                readonly property int page: Math.max(1, Math.floor(height / Theme.hitTarget) - 1)

                objectName: "runsList"
                anchors.top: heads.bottom
                anchors.bottom: parent.bottom
                anchors.bottomMargin: across.contentWidth > across.width ? Theme.spaceM : 0
                width: parent.width
                clip: true
                focus: true
                activeFocusOnTab: true
                keyNavigationEnabled: false
                boundsBehavior: Flickable.StopAtBounds
                model: table.controller.table
                currentIndex: 0
                Accessible.role: Accessible.Table
                Accessible.name: qsTr("Table of runs")
                UiScrollBar.vertical: UiScrollBar {
                    parent: table
                    x: table.width - width
                    y: heads.height
                    height: list.height
                }
                Keys.onSpacePressed: table.controller.toggle(currentIndex)
                Keys.onReturnPressed: table.controller.open(Views.Timeline)
                Keys.onEnterPressed: table.controller.open(Views.Timeline)
                Keys.onMenuPressed: table.menuWanted(currentIndex)
                Keys.onPressed: event => event.accepted = table.handleKey(event)

                delegate: RunsRow {
                    objectName: "tableRun" + index
                    width: list.width
                    controller: table.controller
                    scrolled: across.contentX
                    current: ListView.isCurrentItem && list.activeFocus
                    onOnlyWanted: {
                        list.take(index);
                        table.controller.chooseOnly(index);
                    }
                    onToggleWanted: {
                        list.take(index);
                        table.controller.toggle(index);
                    }
                    onRangeWanted: besideOthers => {
                        list.take(index);
                        table.controller.chooseRange(index, besideOthers);
                    }
                    onEditWanted: key => table.edit(index, key)
                    onOpenWanted: table.controller.open(Views.Timeline)
                    onMenuWanted: {
                        list.take(index);
                        table.menuWanted(index);
                    }
                }

                function take(row: int) {
                    list.currentIndex = row;
                    list.forceActiveFocus(Qt.MouseFocusReason);
                }
            }
        }
    }
    RunsEditor {
        id: editor

        controller: table.controller
        subject: table.subject
        table: list
        scrolled: across.contentX
        onDone: list.forceActiveFocus(Qt.OtherFocusReason)
    }
}
