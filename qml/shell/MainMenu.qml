pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// Everything the window can do, each with its key.
UiMenu {
    id: mainMenu

    required property Session session
    required property Commands commands

    UiMenuItem {
        action: mainMenu.commands.open
    }
    UiMenu {
        id: recentMenu

        title: "Open recent"
        enabled: mainMenu.session.recent.count > 0

        UiMenuItems {
            into: recentMenu
            model: mainMenu.session.recent
            delegate: UiMenuItem {
                required property string path
                required property string name
                required property bool missing

                label: missing ? "%1 (missing)".arg(name) : name
                onTriggered: mainMenu.session.openRecent(path)
            }
        }
    }
    UiMenuItem {
        action: mainMenu.commands.openSample
    }
    UiMenuSeparator {}
    UiMenuItem {
        action: mainMenu.commands.importFiles
    }
    UiMenuItem {
        action: mainMenu.commands.importFolder
    }
    UiMenuItem {
        action: mainMenu.commands.connectEngine
    }
    UiMenuItem {
        action: mainMenu.commands.importReport
    }
    UiMenuItem {
        action: mainMenu.commands.undoImport
    }
    UiMenuSeparator {}
    ViewMenu {
        enabled: mainMenu.session.workspace.isOpen
        places: mainMenu.session.places
    }
    UiMenuItem {
        action: mainMenu.commands.exportShown
    }
    UiMenuItem {
        action: mainMenu.commands.writePage
    }
    UiMenuItem {
        action: mainMenu.commands.writeReport
    }
    UiMenuItem {
        action: mainMenu.commands.check
    }
    UiMenuItem {
        action: mainMenu.commands.compact
    }
    UiMenuItem {
        action: mainMenu.commands.closeDatabase
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
            action: mainMenu.commands.manual
        }
        UiMenuItem {
            action: mainMenu.commands.keyList
        }
        UiMenuItem {
            action: mainMenu.commands.about
        }
    }
    UiMenuSeparator {}
    UiMenuItem {
        action: mainMenu.commands.quit
    }
}
