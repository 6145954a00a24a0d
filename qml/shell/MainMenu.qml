pragma ComponentBehavior: Bound

import QtQml.Models
import QtQuick
import Trainscope
import Trainscope.App

// Everything the window can do, each with its key.
UiMenu {
    id: mainMenu

    required property Session session
    required property Commands commands

    readonly property bool isOpen: session.workspace.isOpen

    UiMenuItem {
        text: qsTr("Open…")
        iconName: "database"
        shortcutText: KeyMap.hint("open")
        onTriggered: mainMenu.commands.openWanted()
    }
    UiMenu {
        id: recentMenu

        title: qsTr("Open recent")
        enabled: mainMenu.session.recent.count > 0

        Instantiator {
            model: mainMenu.session.recent
            delegate: UiMenuItem {
                required property string path
                required property string name
                required property bool missing

                label: missing ? qsTr("%1 (missing)").arg(name) : name
                onTriggered: mainMenu.session.openRecent(path)
            }
            onObjectAdded: (index, object) => recentMenu.insertItem(index, object as UiMenuItem)
            onObjectRemoved: (index, object) => recentMenu.removeItem(object as UiMenuItem)
        }
    }
    UiMenuItem {
        text: qsTr("Open the sample")
        iconName: "chart"
        onTriggered: mainMenu.session.openSample()
    }
    UiMenuSeparator {}
    UiMenuItem {
        text: qsTr("Import files…")
        iconName: "file"
        shortcutText: KeyMap.hint("importFiles")
        onTriggered: mainMenu.commands.importFilesWanted()
    }
    UiMenuItem {
        text: qsTr("Import a folder…")
        iconName: "folder"
        shortcutText: KeyMap.hint("importFolder")
        onTriggered: mainMenu.commands.importFolderWanted()
    }
    UiMenuItem {
        text: qsTr("Connect…")
        shortcutText: KeyMap.hint("connect")
        onTriggered: mainMenu.commands.connectWanted()
    }
    UiMenuItem {
        text: qsTr("Import report…")
        enabled: mainMenu.isOpen
        onTriggered: mainMenu.commands.reportWanted()
    }
    UiMenuSeparator {}
    ViewMenu {
        enabled: mainMenu.isOpen
        places: mainMenu.session.places
    }
    UiMenuItem {
        text: qsTr("Export…")
        iconName: "export"
        enabled: mainMenu.isOpen
        shortcutText: KeyMap.hint("export")
        onTriggered: mainMenu.commands.exportWanted()
    }
    UiMenuItem {
        text: qsTr("Write a report…")
        enabled: mainMenu.isOpen
        onTriggered: mainMenu.commands.findingsReportWanted()
    }
    UiMenuItem {
        text: qsTr("Check the database")
        enabled: mainMenu.isOpen
        onTriggered: mainMenu.session.maintenance.check()
    }
    UiMenuItem {
        text: qsTr("Compact the database")
        enabled: mainMenu.isOpen
        onTriggered: mainMenu.session.maintenance.vacuum()
    }
    UiMenuItem {
        text: qsTr("Close the database")
        enabled: mainMenu.isOpen
        shortcutText: KeyMap.hint("closeDatabase")
        onTriggered: mainMenu.session.closeDatabase()
    }
    UiMenuSeparator {}
    UiMenu {
        title: qsTr("Theme")

        UiMenuItem {
            text: qsTr("Like the system")
            choice: true
            checked: Theme.preference === Theme.Preference.System
            onTriggered: Theme.preference = Theme.Preference.System
        }
        UiMenuItem {
            text: qsTr("Dark")
            choice: true
            checked: Theme.preference === Theme.Preference.Dark
            onTriggered: Theme.preference = Theme.Preference.Dark
        }
        UiMenuItem {
            text: qsTr("Light")
            choice: true
            checked: Theme.preference === Theme.Preference.Light
            onTriggered: Theme.preference = Theme.Preference.Light
        }
        UiMenuSeparator {}
        UiMenuItem {
            text: qsTr("Reduced motion")
            choice: true
            checked: Theme.reducedMotion
            onTriggered: Theme.reducedMotion = !Theme.reducedMotion
        }
    }
    UiMenu {
        title: qsTr("Help")

        UiMenuItem {
            text: qsTr("Manual")
            iconName: "help"
            shortcutText: KeyMap.hint("manual")
            onTriggered: mainMenu.commands.manualWanted()
        }
        UiMenuItem {
            text: qsTr("Keys")
            shortcutText: KeyMap.hint("keys")
            onTriggered: mainMenu.commands.keysWanted()
        }
        UiMenuItem {
            text: qsTr("About Trainscope")
            iconName: "info"
            onTriggered: mainMenu.commands.aboutWanted()
        }
    }
    UiMenuSeparator {}
    UiMenuItem {
        text: qsTr("Quit")
        shortcutText: KeyMap.hint("quit")
        onTriggered: Qt.quit()
    }
}
