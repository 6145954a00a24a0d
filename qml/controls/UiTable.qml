pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// A table: heads that sort, a first column that stays when it is scrolled sideways, rows of which only those that are seen exist. Its
// keys move among the rows, copy and open; others are left to whoever uses it.
FocusScope {
    id: view

    required property TableModel table
    required property string name // read out
    property int current: -1
    property int textSize: Theme.secondarySize
    property bool pinned: true
    property bool sortable: true
    property bool tree: false
    property bool checkable: false // rows have a box, and only chosen ones are raised
    readonly property int row: Math.min(current, list.count - 1)
    readonly property alias scrolled: across.contentX
    readonly property int subject: table.subject
    signal moved(int row, bool ranging)
    signal picked(int row, int modifiers)
    signal toggled(int row)
    signal unfoldWanted(int row)
    signal foldWanted(bool folds) // the current row
    signal opened(int row, string key) // key: the editable column under the pointer; empty: none
    signal copyWanted(int row)
    signal menuWanted(int row)

    Accessible.role: Accessible.Pane
    Accessible.name: view.name

    function moveBy(rows: int, ranging: bool) {
        if (list.count > 0)
            view.moved(Math.max(0, Math.min(list.count - 1, view.row + rows)), ranging);
    }
    function scrollTo(x: real) {
        across.contentX = Math.max(0, Math.min(across.contentWidth - across.width, x));
    }
    function showColumn(key: string) {
        const left = table.heads.leftOf(key);
        const least = left + table.heads.widthOf(key) - across.width;
        view.scrollTo(Math.max(least, Math.min(left - table.nameWidth, across.contentX)));
    }
    function enter() {
        list.forceActiveFocus(Qt.OtherFocusReason);
    }
    function showRow(row: int) {
        list.positionViewAtIndex(row, ListView.Contain);
    }
    // Returns a row's top in this item's coordinates.
    function topOf(row: int): real {
        return list.mapToItem(view, 0, row * Theme.hitTarget - list.contentY + list.originY).y;
    }
    function handleKey(event): bool {
        const ranging = (event.modifiers & Qt.ShiftModifier) !== 0;
        const rows = new Map([[Qt.Key_Up, -1], [Qt.Key_Down, 1], [Qt.Key_PageUp, -list.page], [Qt.Key_PageDown, list.page], [Qt.Key_Home, -list.count], [Qt.Key_End, list.count]]);
        const sideways = new Map([[Qt.Key_Left, -1], [Qt.Key_Right, 1]]);
        if (event.matches(StandardKey.Copy) && (view.checkable || view.row >= 0))
            view.copyWanted(view.row);
        else if (rows.has(event.key))
            view.moveBy(rows.get(event.key), ranging);
        else if (sideways.has(event.key) && view.tree)
            view.foldWanted(event.key === Qt.Key_Left);
        else if (sideways.has(event.key))
            view.scrollTo(across.contentX + sideways.get(event.key) * Theme.spaceXl * 3);
        else if (event.key === Qt.Key_Return || event.key === Qt.Key_Enter)
            view.opened(view.row, "");
        else
            return false;
        return true;
    }
    function look() {
        view.table.look(across.contentX, across.width - Theme.spaceM);
    }

    Component.onCompleted: look()
    onSubjectChanged: {
        view.moved(-1, false);
        across.contentX = 0;
        list.positionViewAtBeginning();
    }

    Rectangle {
        anchors.fill: parent
        color: Theme.window
    }
    Flickable {
        id: across

        anchors.fill: parent
        contentWidth: Math.max(width, view.table.tableWidth)
        contentHeight: height
        flickableDirection: Flickable.HorizontalFlick
        boundsBehavior: Flickable.StopAtBounds
        clip: true
        onContentXChanged: view.look()
        onWidthChanged: view.look()
        UiScrollBar.horizontal: UiScrollBar {}

        Rectangle {
            id: heads

            width: across.contentWidth
            height: view.table.hasUnits ? Theme.controlHeight + Theme.spaceM : Theme.hitTarget
            color: Theme.panel
            Accessible.role: Accessible.Pane
            Accessible.name: "Columns"

            Row {
                Repeater {
                    model: view.table.heads
                    delegate: UiTableHead {
                        id: head

                        required property int index
                        required property string title
                        required property double cellWidth
                        required unit
                        required tip
                        required number
                        required order

                        objectName: "tableHead" + index
                        width: cellWidth
                        height: heads.height
                        // Above those that are scrolled below it.
                        z: head.index === 0 ? 1 : 0
                        transform: Translate {
                            x: head.index === 0 && view.pinned ? across.contentX : 0
                        }
                        label: title
                        sortable: view.sortable
                        onClicked: {
                            if (sortable)
                                view.table.sortBy(index);
                        }
                    }
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

            objectName: "tableRows"
            anchors.top: heads.bottom
            anchors.bottom: parent.bottom
            anchors.bottomMargin: across.contentWidth > across.width ? Theme.spaceM : 0
            width: across.contentWidth
            clip: true
            focus: true
            activeFocusOnTab: true
            keyNavigationEnabled: false
            boundsBehavior: Flickable.StopAtBounds
            highlightMoveDuration: 0
            model: view.table
            currentIndex: view.row
            Accessible.role: view.tree ? Accessible.Tree : Accessible.Table
            Accessible.name: view.name
            UiScrollBar.vertical: UiScrollBar {
                parent: view
                x: view.width - width
                y: heads.height
                height: list.height
            }
            Keys.onPressed: event => event.accepted = view.handleKey(event)

            delegate: UiTableRow {
                id: shown

                objectName: "tableRow" + index
                width: list.width
                table: view.table
                scrolled: view.pinned ? across.contentX : 0
                textSize: view.textSize
                tree: view.tree
                checkable: view.checkable
                current: index === view.row
                focused: current && list.activeFocus
                onPicked: modifiers => {
                    list.forceActiveFocus(Qt.MouseFocusReason);
                    view.picked(shown.index, modifiers);
                }
                onToggled: view.toggled(shown.index)
                onUnfoldWanted: view.unfoldWanted(shown.index)
                onOpened: x => view.opened(shown.index, view.table.heads.editableAt(x))
                onMenuWanted: {
                    list.forceActiveFocus(Qt.MouseFocusReason);
                    view.menuWanted(shown.index);
                }
            }
        }
    }
    UiFocusRing {
        control: list
        anchors.margins: 0
        opacity: 0.5
        visible: list.activeFocus && !view.checkable // there the current row alone says it
    }
}
