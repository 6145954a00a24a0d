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
    // For dialogs of files, where the desktop has none of its own.
    palette {
        window: Theme.panel
        windowText: Theme.text
        base: Theme.window
        text: Theme.text
        button: Theme.raised
        buttonText: Theme.text
        light: Theme.hovered
        mid: Theme.line
        dark: Theme.textSecondary
        placeholderText: Theme.textMuted
        highlight: Theme.accent
        highlightedText: Theme.onAccent
    }
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
        // Views that take it back themselves leave nothing over.
        Keys.onPressed: event => {
            event.accepted = event.matches(StandardKey.Undo);
            if (event.accepted && commands.undoImport.enabled)
                commands.undoImport.trigger();
        }

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
                visible: !window.isOpen && window.session.opening === ""
                focus: !window.isOpen
                session: window.session
                commands: commands
                dropping: dropTarget.containsDrag
            }
            UiText {
                anchors.centerIn: parent
                visible: !window.isOpen && window.session.opening !== ""
                text: "Opening %1 …".arg(window.session.opening)
                color: Theme.textSecondary
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
        // The facts of the shown run at the left, the keys worth knowing at the right.
        UiBar {
            Layout.fillWidth: true
            implicitHeight: Theme.statusBarHeight
            lower: true
            rightPadding: Theme.spaceM
            spacing: Theme.spaceL
            Accessible.role: Accessible.StatusBar
            Accessible.name: window.session.facts

            UiText {
                Layout.fillWidth: true
                text: window.session.facts
                color: Theme.textSecondary
                font.pixelSize: Theme.smallSize
            }
            UiText {
                visible: window.isOpen
                text: window.session.places.keys
                color: Theme.textSecondary
                font.pixelSize: Theme.smallSize

                TapHandler {
                    onTapped: commands.keyList.trigger()
                }
            }
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
        onAnotherWanted: (controller.ofFolder ? commands.dialogs.folder : commands.dialogs.files).open()
        onCopyWanted: text => window.session.copyText(text)
    }
    MaintenanceSheet {
        controller: window.session.maintenance
    }
}
