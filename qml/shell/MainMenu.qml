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
        text: "Open…"
        iconName: "database"
        shortcutText: KeyMap.hint("open")
        onTriggered: mainMenu.commands.openWanted()
    }
    UiMenu {
        id: recentMenu

        title: "Open recent"
        enabled: mainMenu.session.recent.count > 0

        Instantiator {
            model: mainMenu.session.recent
            delegate: UiMenuItem {
                required property string path
                required property string name
                required property bool missing

                label: missing ? "%1 (missing)".arg(name) : name
                onTriggered: mainMenu.session.openRecent(path)
            }
            onObjectAdded: (index, object) => recentMenu.insertItem(index, object as UiMenuItem)
            onObjectRemoved: (index, object) => recentMenu.removeItem(object as UiMenuItem)
        }
    }
    UiMenuItem {
        text: "Open the sample"
        iconName: "chart"
        onTriggered: mainMenu.session.openSample()
    }
    UiMenuSeparator {}
    UiMenuItem {
        text: "Import files…"
        iconName: "file"
        shortcutText: KeyMap.hint("importFiles")
        onTriggered: mainMenu.commands.importFilesWanted()
    }
    UiMenuItem {
        text: "Import a folder…"
        iconName: "folder"
        shortcutText: KeyMap.hint("importFolder")
        onTriggered: mainMenu.commands.importFolderWanted()
    }
    UiMenuItem {
        text: "Connect…"
        shortcutText: KeyMap.hint("connect")
        onTriggered: mainMenu.commands.connectWanted()
    }
    UiMenuItem {
        text: "Import report…"
        enabled: mainMenu.isOpen
        onTriggered: mainMenu.commands.reportWanted()
    }
    UiMenuSeparator {}
    ViewMenu {
        enabled: mainMenu.isOpen
        places: mainMenu.session.places
    }
    UiMenuItem {
        text: "Export…"
        iconName: "export"
        enabled: mainMenu.isOpen
        shortcutText: KeyMap.hint("export")
        onTriggered: mainMenu.commands.exportWanted()
    }
    UiMenuItem {
        text: "Write a report…"
        enabled: mainMenu.isOpen
        onTriggered: mainMenu.commands.findingsReportWanted()
    }
    UiMenuItem {
        text: "Check the database"
        enabled: mainMenu.isOpen
        onTriggered: mainMenu.session.maintenance.check()
    }
    UiMenuItem {
        text: "Compact the database"
        enabled: mainMenu.isOpen
        onTriggered: mainMenu.session.maintenance.vacuum()
    }
    UiMenuItem {
        text: "Close the database"
        enabled: mainMenu.isOpen
        shortcutText: KeyMap.hint("closeDatabase")
        onTriggered: mainMenu.session.closeDatabase()
    }
    UiMenuSeparator {}
    UiMenu {
        title: "Theme"

        UiMenuItem {
            text: "Like the system"
            choice: true
            checked: Theme.preference === Theme.Preference.System
            onTriggered: Theme.preference = Theme.Preference.System
        }
        UiMenuItem {
            text: "Dark"
            choice: true
            checked: Theme.preference === Theme.Preference.Dark
            onTriggered: Theme.preference = Theme.Preference.Dark
        }
        UiMenuItem {
            text: "Light"
            choice: true
            checked: Theme.preference === Theme.Preference.Light
            onTriggered: Theme.preference = Theme.Preference.Light
        }
        UiMenuSeparator {}
        UiMenuItem {
            text: "Reduced motion"
            choice: true
            checked: Theme.reducedMotion
            onTriggered: Theme.reducedMotion = !Theme.reducedMotion
        }
    }
    UiMenu {
        title: "Help"

        UiMenuItem {
            text: "Manual"
            iconName: "help"
            shortcutText: KeyMap.hint("manual")
            onTriggered: mainMenu.commands.manualWanted()
        }
        UiMenuItem {
            text: "Keys"
            shortcutText: KeyMap.hint("keys")
            onTriggered: mainMenu.commands.keysWanted()
        }
        UiMenuItem {
            text: "About Trainscope"
            iconName: "info"
            onTriggered: mainMenu.commands.aboutWanted()
        }
    }
    UiMenuSeparator {}
    UiMenuItem {
        text: "Quit"
        shortcutText: KeyMap.hint("quit")
        onTriggered: Qt.quit()
    }
}
