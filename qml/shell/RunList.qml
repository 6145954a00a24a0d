pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// The runs of the open database: a filter, and the list. A click on a name shows that run alone, on its
// square or with Ctrl it adds or takes it away, with Shift it takes those between.
FocusScope {
    id: pane

    required property Session session
    readonly property RunListModel model: RunListModel {
        id: runs

        workspace: pane.session.workspace
        filter: filterField.text
    }

    implicitWidth: Theme.runListWidth
    Accessible.role: Accessible.Pane
    Accessible.name: "Runs"

    function focusFilter() {
        filterField.forceActiveFocus(Qt.ShortcutFocusReason);
    }

    Rectangle {
        anchors.fill: parent
        color: Theme.panel
    }
    ColumnLayout {
        anchors.fill: parent
        spacing: 0

        RowLayout {
            Layout.fillWidth: true
            Layout.margins: Theme.spaceM
            Layout.bottomMargin: Theme.spaceS
            spacing: Theme.spaceXs

            UiSectionHeader {
                Layout.fillWidth: true
                text: "Runs"
            }
            UiText {
                elide: Text.ElideNone
                text: runs.countText
                color: Theme.textSecondary
                font.pixelSize: Theme.smallSize
            }
            UiIconButton {
                objectName: "foldAll"
                visible: runs.grouped
                implicitWidth: Theme.hitTarget
                implicitHeight: Theme.hitTarget
                iconName: runs.allFolded ? "chevronDown" : "chevronUp"
                text: runs.allFolded ? "Unfold all folders" : "Fold all folders"
                onClicked: runs.foldAll(!runs.allFolded)
            }
            UiIconButton {
                objectName: "dense"
                visible: runs.count > 0
                implicitWidth: Theme.hitTarget
                implicitHeight: Theme.hitTarget
                iconName: runs.dense ? "panelTop" : "menu"
                text: runs.dense ? "Show each run as a card" : "Show each run in one line"
                onClicked: runs.dense = !runs.dense
            }
        }
        UiSearchField {
            id: filterField

            Layout.fillWidth: true
            Layout.leftMargin: Theme.spaceM
            Layout.rightMargin: Theme.spaceM
            Layout.bottomMargin: Theme.spaceS
            placeholderText: "Filter: h200 tp8 …"
            label: "Filter the runs"
            Keys.onDownPressed: list.forceActiveFocus(Qt.TabFocusReason)
        }
        UiList {
            id: list

            objectName: "runList"
            Layout.fillWidth: true
            Layout.fillHeight: true
            focus: true
            model: runs
            currentIndex: 0
            Accessible.name: "Runs"
            keyNavigationEnabled: false
            Keys.onSpacePressed: runs.toggle(currentIndex)
            Keys.onReturnPressed: runs.showOnly(currentIndex)
            Keys.onEnterPressed: runs.showOnly(currentIndex)
            Keys.onDeletePressed: pane.askToRemove(currentIndex)
            Keys.onMenuPressed: runMenu.popupFor(currentIndex, currentItem)
            Keys.onPressed: event => event.accepted = pane.handleKey(event)

            delegate: RunListRow {
                objectName: "run" + index
                width: list.width
                dense: runs.dense
                grouped: runs.grouped
                current: ListView.isCurrentItem && list.activeFocus
                onOnlyWanted: {
                    list.currentIndex = index;
                    runs.showOnly(index);
                }
                onToggleWanted: {
                    list.currentIndex = index;
                    runs.toggle(index);
                }
                onRangeWanted: besideOthers => {
                    list.currentIndex = index;
                    runs.showRange(index, besideOthers);
                }
                onFoldWanted: {
                    list.currentIndex = index;
                    runs.toggleFolded(index);
                }
                onMenuWanted: {
                    list.currentIndex = index;
                    runMenu.popupFor(index, null);
                }
            }
        }
        UiSentence {
            Layout.fillHeight: true
            Layout.margins: Theme.spaceM
            visible: runs.count === 0
            verticalAlignment: Text.AlignTop
            text: runs.filter === "" ? "This database holds no runs yet. Drop files on the window to import them." : "No run matches the filter."
            color: Theme.textSecondary
        }
    }
    UiSeparator {
        anchors.right: parent.right
        height: parent.height
    }
    function handleKey(event) {
        if (event.key === Qt.Key_F2)
            pane.askToRename(list.currentIndex);
        else if (event.matches(StandardKey.SelectAll))
            runs.showAll();
        else if (event.matches(StandardKey.Copy))
            pane.session.copyText(runs.nameAt(list.currentIndex));
        else if (event.key === Qt.Key_Up || event.key === Qt.Key_Down)
            pane.moveBy(event.key === Qt.Key_Up ? -1 : 1, event.modifiers & Qt.ShiftModifier);
        else if (event.key === Qt.Key_Home || event.key === Qt.Key_End)
            pane.moveBy(event.key === Qt.Key_Home ? -list.count : list.count, event.modifiers & Qt.ShiftModifier);
        else if (event.key === Qt.Key_Left || event.key === Qt.Key_Right)
            pane.fold(event.key === Qt.Key_Left);
        else
            return false;
        return true;
    }
    function moveBy(rows: int, ranging: bool) {
        list.currentIndex = Math.max(0, Math.min(list.count - 1, list.currentIndex + rows));
        if (ranging)
            runs.showRange(list.currentIndex);
        else
            runs.beginRange(list.currentIndex);
    }
    // Left from a run leads to its head.
    function fold(folded: bool) {
        const head = runs.headOf(list.currentIndex);
        runs.setFolded(head, folded);
        if (folded && head >= 0)
            list.currentIndex = head;
    }
    function askToRename(row: int) {
        if (runs.nameAt(row) !== "")
            renameSheet.askFor(runs.nameAt(row));
    }
    function askToRemove(row: int) {
        if (runs.nameAt(row) !== "")
            removeSheet.askAbout(runs.nameAt(row));
    }

    UiMenu {
        id: runMenu

        objectName: "runMenu"
        readonly property int rows: runs.count
        property int row: -1
        property bool onRun: false

        onRowsChanged: runMenu.close() // its row may be another

        function popupFor(row: int, item: Item) {
            runMenu.row = row;
            runMenu.onRun = !runs.isHead(row);
            item ? popup(item, 0, item.height) : popup();
        }

        UiMenuItem {
            text: runMenu.onRun ? "Show only this run" : "Show only this folder"
            onTriggered: runs.showOnly(runMenu.row)
        }
        UiMenuItem {
            text: "Add to or take from what is shown"
            onTriggered: runs.toggle(runMenu.row)
        }
        UiMenuItem {
            text: runs.filter === "" ? "Show all runs" : "Show all that match the filter"
            shortcutText: KeyMap.hint("runAll")
            onTriggered: runs.showAll()
        }
        UiMenuItem {
            objectName: "predictRun"
            text: "Predict with another layout…"
            enabled: runMenu.onRun
            onTriggered: pane.session.views.predictRun(runs.nameAt(runMenu.row))
        }
        UiMenuSeparator {}
        UiMenuItem {
            text: "Copy the name"
            iconName: "copy"
            enabled: runMenu.onRun
            shortcutText: KeyMap.hint("runCopy")
            onTriggered: pane.session.copyText(runs.nameAt(runMenu.row))
        }
        UiMenuItem {
            text: "Rename…"
            iconName: "edit"
            enabled: runMenu.onRun
            shortcutText: KeyMap.hint("runRename")
            onTriggered: pane.askToRename(runMenu.row)
        }
        UiMenuItem {
            text: "Remove…"
            iconName: "trash"
            enabled: runMenu.onRun
            shortcutText: KeyMap.hint("runRemove")
            onTriggered: pane.askToRemove(runMenu.row)
        }
    }
    UiNameSheet {
        id: renameSheet

        objectName: "renameSheet"
        property string run: ""

        title: "Rename the run"
        subject: pane.session.workspace.databasePath
        label: "Name of the run"
        doneText: "Rename"
        onNamed: pane.session.maintenance.renameRun(run, name)

        function askFor(name: string) {
            run = name;
            ask(name);
        }
    }
    UiQuestionSheet {
        id: removeSheet

        objectName: "removeSheet"
        property string run: ""

        title: "Remove the run?"
        subject: pane.session.workspace.databasePath // elsewhere that name is another run
        question: "%1 and all its samples, kernels and reports leave this database. This cannot be undone; the files that it was imported from stay as they are.".arg(run)
        refusalText: "Keep it"
        consentText: "Remove"
        onAgreed: pane.session.maintenance.removeRuns([run])

        function askAbout(name: string) {
            run = name;
            put();
        }
    }
}
