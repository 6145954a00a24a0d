pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// The window: top bar, runs, view and inspector, status bar, and the sheets above them.
T.ApplicationWindow {
    id: window

    required property Session session

    readonly property bool isOpen: session.workspace.isOpen

    title: window.isOpen ? "%1 – Trainscope".arg(session.workspace.databaseName) : "Trainscope"
    minimumWidth: Theme.minimumWidth
    minimumHeight: Theme.minimumHeight
    color: Theme.window
    visible: true
    font.family: Theme.fontFamily
    font.pixelSize: Theme.bodySize
    Component.onCompleted: panes.attach(window)

    WindowState {
        id: panes

        narrow: window.width < Theme.wideWidth
        tight: window.width < Theme.cosyWidth
    }
    SceneMemory {
        window: window
    }
    Commands {
        id: commands

        window: window
        session: window.session
        panes: panes
        onMenuWanted: mainMenu.popup(topBar, Theme.spaceS, topBar.height)
        onExportWanted: workspacePane.exportShown()
        onFilterWanted: workspacePane.focusFilter()
        onSearchWanted: workspacePane.focusSearch()
        onPaneWanted: forward => workspacePane.cyclePane(forward)
    }
    ColumnLayout {
        anchors.fill: parent
        spacing: 0

        TopBar {
            id: topBar

            Layout.fillWidth: true
            session: window.session
            panes: panes
            commands: commands
            menuOpen: mainMenu.visible
        }
        Item {
            Layout.fillWidth: true
            Layout.fillHeight: true

            StartPage {
                anchors.fill: parent
                visible: !window.isOpen
                focus: !window.isOpen
                session: window.session
                commands: commands
                dropping: dropTarget.containsDrag
            }
            WorkspacePane {
                id: workspacePane

                anchors.fill: parent
                visible: window.isOpen
                focus: window.isOpen
                session: window.session
                panes: panes
            }
        }
        StatusBar {
            Layout.fillWidth: true
            session: window.session
            onKeysWanted: commands.keyList.trigger()
        }
    }
    // Always as a copy: a source that offers to move must not think that its files may go.
    DropArea {
        id: dropTarget

        anchors.fill: parent
        keys: ["text/uri-list"]
        onEntered: drag => drag.hasUrls ? drag.accept(Qt.CopyAction) : drag.accepted = false
        onPositionChanged: drag => drag.accept(Qt.CopyAction)
        onDropped: drop => {
            drop.accept(Qt.CopyAction);
            window.session.openUrls(drop.urls);
        }
    }
    Rectangle {
        anchors.fill: parent
        visible: dropTarget.containsDrag && window.isOpen
        color: Theme.selection
        border.width: 2 * Theme.hairline
        border.color: Theme.accent

        UiText {
            anchors.centerIn: parent
            text: "Let go to look at it"
            font.pixelSize: Theme.titleSize
        }
    }
    NoticeBanner {
        session: window.session
    }
    MainMenu {
        id: mainMenu

        session: window.session
        commands: commands
    }
    ImportSheet {
        controller: window.session.importing
        onTargetWanted: commands.dialogs.target.open()
        onCopyWanted: text => window.session.copyText(text)
    }
    MaintenanceSheet {
        controller: window.session.maintenance
    }
}
