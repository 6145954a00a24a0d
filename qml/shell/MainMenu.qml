pragma ComponentBehavior: Bound

import QtQml.Models
import QtQuick
import Trainscope
import Trainscope.App

// Everything the window can do, each with its key.
UiMenu {
    id: menu

    required property Session session
    required property Commands commands

    readonly property bool isOpen: session.workspace.isOpen

    UiMenuItem {
        text: qsTr("Open…")
        iconName: "database"
        shortcutText: KeyMap.hint("open")
        onTriggered: menu.commands.openWanted()
    }
    UiMenu {
        id: recentMenu

        title: qsTr("Open recent")
        enabled: menu.session.recent.count > 0

        Instantiator {
            model: menu.session.recent
            delegate: UiMenuItem {
                required property string path
                required property string name
                required property bool missing

                label: missing ? qsTr("%1 (missing)").arg(name) : name
                onTriggered: menu.session.openRecent(path)
            }
            onObjectAdded: (index, object) => recentMenu.insertItem(index, object as UiMenuItem)
            onObjectRemoved: (index, object) => recentMenu.removeItem(object as UiMenuItem)
        }
    }
    UiMenuItem {
        text: qsTr("Open the sample")
        iconName: "chart"
        onTriggered: menu.session.openSample()
    }
    UiMenuSeparator {}
    UiMenuItem {
        text: qsTr("Import files…")
        iconName: "file"
        shortcutText: KeyMap.hint("importFiles")
        onTriggered: menu.commands.importFilesWanted()
    }
    UiMenuItem {
        text: qsTr("Import a folder…")
        iconName: "folder"
        shortcutText: KeyMap.hint("importFolder")
        onTriggered: menu.commands.importFolderWanted()
    }
    UiMenuItem {
        text: qsTr("Connect…")
        shortcutText: KeyMap.hint("connect")
        onTriggered: menu.commands.connectWanted()
    }
    UiMenuItem {
        text: qsTr("Import report…")
        enabled: menu.isOpen
        onTriggered: menu.commands.reportWanted()
    }
    UiMenuSeparator {}
    ViewMenu {
        enabled: menu.isOpen
        views: menu.session.views
    }
    UiMenuItem {
        text: qsTr("Export…")
        iconName: "export"
        enabled: menu.isOpen
        shortcutText: KeyMap.hint("export")
        onTriggered: menu.commands.exportWanted()
    }
    UiMenuItem {
        text: qsTr("Write a report…")
        enabled: menu.isOpen
        onTriggered: menu.commands.findingsReportWanted()
    }
    UiMenuItem {
        text: qsTr("Check the database")
        enabled: menu.isOpen
        onTriggered: menu.session.maintenance.check()
    }
    UiMenuItem {
        text: qsTr("Compact the database")
        enabled: menu.isOpen
        onTriggered: menu.session.maintenance.vacuum()
    }
    UiMenuItem {
        text: qsTr("Close the database")
        enabled: menu.isOpen
        shortcutText: KeyMap.hint("closeDatabase")
        onTriggered: menu.session.closeDatabase()
    }
    UiMenuSeparator {}
    UiMenu {
        title: qsTr("Theme")

        UiMenuItem {
            text: qsTr("Like the system")
            checkable: true
            checked: Theme.preference === Theme.Preference.System
            onTriggered: Theme.preference = Theme.Preference.System
        }
        UiMenuItem {
            text: qsTr("Dark")
            checkable: true
            checked: Theme.preference === Theme.Preference.Dark
            onTriggered: Theme.preference = Theme.Preference.Dark
        }
        UiMenuItem {
            text: qsTr("Light")
            checkable: true
            checked: Theme.preference === Theme.Preference.Light
            onTriggered: Theme.preference = Theme.Preference.Light
        }
        UiMenuSeparator {}
        UiMenuItem {
            text: qsTr("Reduced motion")
            checkable: true
            checked: Theme.reducedMotion
            onTriggered: Theme.reducedMotion = checked
        }
    }
    UiMenu {
        title: qsTr("Help")

        UiMenuItem {
            text: qsTr("Manual")
            iconName: "help"
            shortcutText: KeyMap.hint("manual")
            onTriggered: menu.commands.manualWanted()
        }
        UiMenuItem {
            text: qsTr("Keys")
            shortcutText: KeyMap.hint("keys")
            onTriggered: menu.commands.keysWanted()
        }
        UiMenuItem {
            text: qsTr("About Trainscope")
            iconName: "info"
            onTriggered: menu.commands.aboutWanted()
        }
    }
    UiMenuSeparator {}
    UiMenuItem {
        text: qsTr("Quit")
        shortcutText: KeyMap.hint("quit")
        onTriggered: Qt.quit()
    }
}
