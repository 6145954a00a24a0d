pragma ComponentBehavior: Bound

import QtQml.Models
import QtQuick
import Trainscope
import Trainscope.App

// The commands of the window, and the sheets that some of them open. Plain letters belong to the views and
// never get here from a text field.
Item {
    id: commands

    required property Window window
    required property Session session
    required property WindowState panes
    readonly property alias dialogs: fileDialogs
    signal menuWanted
    signal exportWanted
    signal filterWanted
    signal searchWanted
    signal paneWanted(bool forward)

    readonly property bool isOpen: session.workspace.isOpen
    readonly property bool typing: window.activeFocusItem instanceof TextInput || window.activeFocusItem instanceof TextEdit

    readonly property UiCommand open: UiCommand {
        keys: "open"
        text: "Open…"
        icon.name: "database"
        onTriggered: fileDialogs.database.open()
    }
    readonly property UiCommand openSample: UiCommand {
        text: "Open the sample"
        icon.name: "chart"
        onTriggered: commands.session.openSample()
    }
    readonly property UiCommand importFiles: UiCommand {
        keys: "importFiles"
        text: "Import files…"
        icon.name: "file"
        onTriggered: fileDialogs.files.open()
    }
    readonly property UiCommand importFolder: UiCommand {
        keys: "importFolder"
        text: "Import a folder…"
        icon.name: "folder"
        onTriggered: fileDialogs.folder.open()
    }
    readonly property UiCommand connectEngine: UiCommand {
        keys: "connect"
        text: "Connect…"
        onTriggered: connectSheet.open()
    }
    readonly property UiCommand importReport: UiCommand {
        enabled: commands.isOpen
        text: "Import report…"
        onTriggered: {
            reportSheet.open();
            commands.session.readReports();
        }
    }
    readonly property UiCommand undoImport: UiCommand {
        enabled: commands.isOpen && commands.session.hasImports
        text: "Undo the last import"
        onTriggered: commands.session.undoImport()
    }
    readonly property UiCommand exportShown: UiCommand {
        keys: "export"
        enabled: commands.isOpen
        text: "Export…"
        icon.name: "export"
        onTriggered: commands.exportWanted()
    }
    readonly property UiCommand writeReport: UiCommand {
        enabled: commands.isOpen
        text: "Write a report…"
        onTriggered: fileDialogs.saveReport()
    }
    readonly property UiCommand writePage: UiCommand {
        enabled: commands.isOpen
        text: "Export a web page…"
        onTriggered: fileDialogs.savePage()
    }
    readonly property UiCommand check: UiCommand {
        enabled: commands.isOpen
        text: "Check the database"
        onTriggered: commands.session.maintenance.check()
    }
    readonly property UiCommand compact: UiCommand {
        enabled: commands.isOpen
        text: "Compact the database"
        onTriggered: commands.session.maintenance.vacuum()
    }
    readonly property UiCommand closeDatabase: UiCommand {
        keys: "closeDatabase"
        enabled: commands.isOpen
        text: "Close the database"
        onTriggered: commands.session.closeDatabase()
    }
    readonly property UiCommand runList: UiCommand {
        keys: "runList"
        enabled: commands.isOpen
        text: commands.panes.runListOpen ? "Hide the runs" : "Show the runs"
        icon.name: "panelLeft"
        onTriggered: commands.panes.runListOpen = !commands.panes.runListOpen
    }
    readonly property UiCommand inspector: UiCommand {
        keys: "inspector"
        enabled: commands.isOpen
        text: commands.panes.inspectorOpen ? "Hide the inspector" : "Show the inspector"
        icon.name: "panelRight"
        onTriggered: commands.panes.inspectorOpen = !commands.panes.inspectorOpen
    }
    readonly property UiCommand menu: UiCommand {
        keys: "mainMenu"
        text: "Menu"
        icon.name: "menu"
        onTriggered: commands.menuWanted()
    }
    readonly property UiCommand manual: UiCommand {
        keys: "manual"
        text: "Manual"
        icon.name: "help"
        onTriggered: manualSheet.show(commands.isOpen ? commands.session.views.key : "")
    }
    readonly property UiCommand keyList: UiCommand {
        keys: "keys"
        enabled: !commands.typing
        text: "Keys"
        onTriggered: keysSheet.open()
    }
    readonly property UiCommand about: UiCommand {
        text: "About Trainscope"
        icon.name: "info"
        onTriggered: aboutSheet.open()
    }
    readonly property UiCommand quit: UiCommand {
        keys: "quit"
        text: "Quit"
        onTriggered: Qt.quit()
    }
    readonly property UiCommand filter: UiCommand {
        keys: "filter"
        enabled: commands.isOpen
        onTriggered: commands.filterWanted()
    }
    readonly property UiCommand nextPane: UiCommand {
        keys: "nextPane"
        enabled: commands.isOpen
        onTriggered: commands.paneWanted(true)
    }
    readonly property UiCommand previousPane: UiCommand {
        keys: "previousPane"
        enabled: commands.isOpen
        onTriggered: commands.paneWanted(false)
    }
    readonly property UiCommand fullScreen: UiCommand {
        keys: "fullScreen"
        onTriggered: commands.window.visibility = commands.window.visibility === Window.FullScreen ? Window.Windowed : Window.FullScreen
    }

    // An action has one sequence of keys.
    Shortcut {
        sequences: KeyMap.sequences("search")
        enabled: commands.isOpen && !commands.typing
        onActivated: commands.searchWanted()
    }
    Instantiator {
        model: commands.session.views.titles
        delegate: Shortcut {
            required property int index

            sequences: KeyMap.sequences("view" + index)
            enabled: commands.isOpen
            onActivated: commands.session.views.view = index
        }
    }
    Instantiator {
        model: commands.session.places.titles
        delegate: UiCommand {
            required property int index

            keys: "place" + index
            enabled: commands.isOpen
            onTriggered: commands.session.places.open(index)
        }
    }
    FileDialogs {
        id: fileDialogs

        session: commands.session
    }
    ConnectSheet {
        id: connectSheet

        controller: commands.session.connecting
    }
    // The reports of everything in the open database, whenever they were imported.
    UiSheet {
        id: reportSheet

        title: "Import report"
        subtitle: commands.session.reports.headline
        buttons: [
            Row {
                spacing: Theme.spaceS

                UiButton {
                    iconName: "copy"
                    text: "Copy as text"
                    onClicked: commands.session.copyText(commands.session.reports.text())
                }
                UiButton {
                    primary: true
                    focus: true
                    text: "Close"
                    onClicked: reportSheet.close()
                }
            }
        ]

        ImportReportView {
            anchors.fill: parent
            report: commands.session.reports
        }
    }
    KeysSheet {
        id: keysSheet
    }
    ManualSheet {
        id: manualSheet
    }
    AboutSheet {
        id: aboutSheet

        session: commands.session
    }
}
