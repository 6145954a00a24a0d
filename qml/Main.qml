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

    title: window.isOpen ? qsTr("%1 – Trainscope").arg(session.workspace.databaseName) : qsTr("Trainscope")
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
    Commands {
        id: commands

        window: window
        session: window.session
        panes: panes
        onOpenWanted: dialogs.openDatabase()
        onImportFilesWanted: dialogs.importFiles()
        onImportFolderWanted: dialogs.importFolder()
        onKeysWanted: keysSheet.open()
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
                onOpenWanted: dialogs.openDatabase()
                onImportFilesWanted: dialogs.importFiles()
                onImportFolderWanted: dialogs.importFolder()
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
    DropTarget {
        id: dropTarget

        session: window.session
    }
    Rectangle {
        anchors.fill: parent
        visible: dropTarget.containsDrag && window.isOpen
        color: Theme.selection
        border.width: 2 * Theme.hairline
        border.color: Theme.accent

        UiText {
            anchors.centerIn: parent
            text: qsTr("Let go to look at it")
            font.pixelSize: Theme.titleSize
        }
    }
    NoticeBanner {
        anchors.horizontalCenter: parent.horizontalCenter
        anchors.bottom: parent.bottom
        anchors.bottomMargin: Theme.statusBarHeight + Theme.spaceM
        width: Math.min(window.width - 2 * Theme.spaceXl, Theme.sheetWidth * 0.8)
        parent: T.Overlay.overlay
        z: 1
        session: window.session
    }
    MainMenu {
        id: mainMenu

        session: window.session
        onOpenWanted: dialogs.openDatabase()
        onImportFilesWanted: dialogs.importFiles()
        onFindingsReportWanted: dialogs.writeReport()
        onImportFolderWanted: dialogs.importFolder()
        onReportWanted: reportSheet.show()
        onExportWanted: workspacePane.exportShown()
        onKeysWanted: keysSheet.open()
        onAboutWanted: aboutSheet.open()
    }
    FileDialogs {
        id: dialogs

        session: window.session
    }
    ImportSheet {
        controller: window.session.importing
        onTargetWanted: dialogs.chooseTarget()
        onCopyWanted: text => window.session.copyText(text)
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
    AboutSheet {
        id: aboutSheet

        session: window.session
    }
}
