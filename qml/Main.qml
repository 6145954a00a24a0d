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
        onOpenWanted: dialogs.database.open()
        onImportFilesWanted: dialogs.files.open()
        onImportFolderWanted: dialogs.folder.open()
        onConnectWanted: connectSheet.open()
        onKeysWanted: keysSheet.open()
        onManualWanted: manualSheet.show(window.isOpen ? window.session.views.key : "")
        onMenuWanted: mainMenu.popup(topBar, Theme.spaceS, topBar.height)
        onExportWanted: workspacePane.exportShown()
        onFilterWanted: workspacePane.focusFilter()
        onSearchWanted: workspacePane.focusSearch()
        onReportWanted: reportSheet.show()
        onFindingsReportWanted: dialogs.saveReport()
        onAboutWanted: aboutSheet.open()
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
            menuOpen: mainMenu.visible
            onMenuWanted: anchor => mainMenu.popup(anchor, 0, anchor.height)
            onExportWanted: workspacePane.exportShown()
        }
        Item {
            Layout.fillWidth: true
            Layout.fillHeight: true

            StartPage {
                anchors.fill: parent
                visible: !window.isOpen
                focus: !window.isOpen
                session: window.session
                dropping: dropTarget.containsDrag
                onOpenWanted: dialogs.database.open()
                onImportFilesWanted: dialogs.files.open()
                onImportFolderWanted: dialogs.folder.open()
                onConnectWanted: connectSheet.open()
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
            onKeysWanted: keysSheet.open()
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
    FileDialogs {
        id: dialogs

        session: window.session
    }
    ImportSheet {
        controller: window.session.importing
        onTargetWanted: dialogs.target.open()
        onCopyWanted: text => window.session.copyText(text)
    }
    ConnectSheet {
        id: connectSheet

        controller: window.session.connecting
    }
    ReportSheet {
        id: reportSheet

        session: window.session
    }
    MaintenanceSheet {
        controller: window.session.maintenance
    }
    KeysSheet {
        id: keysSheet
    }
    ManualSheet {
        id: manualSheet
    }
    AboutSheet {
        id: aboutSheet

        session: window.session
    }
}
