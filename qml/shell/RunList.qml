pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// The runs of the open database: a filter, and the list. Click shows one run, Ctrl+click adds it.
FocusScope {
    id: pane

    required property Session session

    implicitWidth: Theme.runListWidth
    Accessible.role: Accessible.Pane
    Accessible.name: qsTr("Runs")

    function focusFilter() {
        filterField.forceActiveFocus(Qt.ShortcutFocusReason);
    }

    Rectangle {
        anchors.fill: parent
        color: Theme.panel
    }
    RunFilterModel {
        id: runs

        workspace: pane.session.workspace
        filter: filterField.text
    }
    ColumnLayout {
        anchors.fill: parent
        spacing: 0

        RowLayout {
            Layout.fillWidth: true
            Layout.margins: Theme.spaceM
            Layout.bottomMargin: Theme.spaceS

            UiSectionHeader {
                Layout.fillWidth: true
                text: qsTr("Runs")
            }
            UiText {
                elide: Text.ElideNone
                text: runs.countText
                color: Theme.textSecondary
                font.pixelSize: Theme.smallSize
            }
        }
        UiSearchField {
            id: filterField

            Layout.fillWidth: true
            Layout.leftMargin: Theme.spaceM
            Layout.rightMargin: Theme.spaceM
            Layout.bottomMargin: Theme.spaceS
            placeholderText: qsTr("Filter: h200 tp8 …")
            label: qsTr("Filter the runs")
            Keys.onDownPressed: list.forceActiveFocus(Qt.TabFocusReason)
        }
        ListView {
            id: list

            Layout.fillWidth: true
            Layout.fillHeight: true
            clip: true
            focus: true
            activeFocusOnTab: true
            boundsBehavior: Flickable.StopAtBounds
            model: runs
            currentIndex: 0
            UiScrollBar.vertical: UiScrollBar {}
            Accessible.role: Accessible.List
            Accessible.name: qsTr("Runs")
            Keys.onSpacePressed: runs.toggle(currentIndex)
            Keys.onReturnPressed: runs.showOnly(currentIndex)
            Keys.onEnterPressed: runs.showOnly(currentIndex)
            Keys.onDeletePressed: removeSheet.ask(runs.nameAt(currentIndex))
            Keys.onMenuPressed: runMenu.popupFor(currentIndex, currentItem)
            Keys.onPressed: event => pane.handleKey(event)

            delegate: RunCard {
                width: list.width
                current: ListView.isCurrentItem && list.activeFocus
                onOnlyWanted: {
                    list.currentIndex = index;
                    runs.showOnly(index);
                }
                onToggleWanted: {
                    list.currentIndex = index;
                    runs.toggle(index);
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
            text: runs.filter === "" ? qsTr("This database holds no runs yet. Drop files on the window to import them.") : qsTr("No run matches the filter.")
            color: Theme.textSecondary
        }
    }
    UiSeparator {
        anchors.right: parent.right
        height: parent.height
    }
    function handleKey(event) {
        if (event.key === Qt.Key_F2)
            renameSheet.askFor(runs.nameAt(list.currentIndex));
        else if (event.matches(StandardKey.Copy))
            pane.session.copyText(runs.nameAt(list.currentIndex));
    }

    UiMenu {
        id: runMenu

        property int row: -1

        function popupFor(row: int, item: Item) {
            runMenu.row = row;
            item ? popup(item, 0, item.height) : popup();
        }

        UiMenuItem {
            text: qsTr("Show only this run")
            onTriggered: runs.showOnly(runMenu.row)
        }
        UiMenuItem {
            text: qsTr("Add to or take from what is shown")
            onTriggered: runs.toggle(runMenu.row)
        }
        UiMenuItem {
            text: qsTr("Show all that match the filter")
            onTriggered: runs.showAllFiltered()
        }
        UiMenuSeparator {}
        UiMenuItem {
            text: qsTr("Copy the name")
            iconName: "copy"
            shortcutText: KeyMap.hint("runCopy")
            onTriggered: pane.session.copyText(runs.nameAt(runMenu.row))
        }
        UiMenuItem {
            text: qsTr("Rename…")
            iconName: "edit"
            shortcutText: KeyMap.hint("runRename")
            onTriggered: renameSheet.askFor(runs.nameAt(runMenu.row))
        }
        UiMenuItem {
            text: qsTr("Remove…")
            iconName: "trash"
            shortcutText: KeyMap.hint("runRemove")
            onTriggered: removeSheet.ask(runs.nameAt(runMenu.row))
        }
    }
    UiNameSheet {
        id: renameSheet

        property string run: ""

        title: qsTr("Rename the run")
        label: qsTr("Name of the run")
        doneText: qsTr("Rename")
        onNamed: pane.session.renameRun(run, name)

        function askFor(name: string) {
            run = name;
            ask(name);
        }
    }
    RemoveSheet {
        id: removeSheet

        session: pane.session
    }
}
