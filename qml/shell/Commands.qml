pragma ComponentBehavior: Bound

import QtQml.Models
import QtQuick
import Trainscope
import Trainscope.App

// The window's keys. Plain letters belong to the views and never get here from a text field.
Item {
    id: commands

    required property Window window
    required property Session session
    required property WindowState panes
    signal openWanted
    signal importFilesWanted
    signal importFolderWanted
    signal connectWanted
    signal reportWanted
    signal findingsReportWanted
    signal aboutWanted
    signal exportWanted
    signal keysWanted
    signal manualWanted
    signal menuWanted
    signal filterWanted
    signal searchWanted
    signal paneWanted(bool forward)

    readonly property bool isOpen: session.workspace.isOpen
    readonly property bool typing: window.activeFocusItem instanceof TextInput || window.activeFocusItem instanceof TextEdit

    Shortcut {
        sequences: KeyMap.sequences("open")
        onActivated: commands.openWanted()
    }
    Shortcut {
        sequences: KeyMap.sequences("importFiles")
        onActivated: commands.importFilesWanted()
    }
    Shortcut {
        sequences: KeyMap.sequences("importFolder")
        onActivated: commands.importFolderWanted()
    }
    Shortcut {
        sequences: KeyMap.sequences("connect")
        onActivated: commands.connectWanted()
    }
    Shortcut {
        sequences: KeyMap.sequences("export")
        enabled: commands.isOpen
        onActivated: commands.exportWanted()
    }
    Shortcut {
        sequences: KeyMap.sequences("runList")
        enabled: commands.isOpen
        onActivated: commands.panes.runListOpen = !commands.panes.runListOpen
    }
    Shortcut {
        sequences: KeyMap.sequences("inspector")
        enabled: commands.isOpen
        onActivated: commands.panes.inspectorOpen = !commands.panes.inspectorOpen
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
        delegate: Shortcut {
            required property int index

            sequences: KeyMap.sequences("place" + index)
            enabled: commands.isOpen
            onActivated: commands.session.places.open(index)
        }
    }
    Shortcut {
        sequences: KeyMap.sequences("filter")
        enabled: commands.isOpen
        onActivated: commands.filterWanted()
    }
    Shortcut {
        sequences: KeyMap.sequences("search")
        enabled: commands.isOpen && !commands.typing
        onActivated: commands.searchWanted()
    }
    Shortcut {
        sequences: KeyMap.sequences("keys")
        enabled: !commands.typing
        onActivated: commands.keysWanted()
    }
    Shortcut {
        sequences: KeyMap.sequences("manual")
        onActivated: commands.manualWanted()
    }
    Shortcut {
        sequences: KeyMap.sequences("mainMenu")
        onActivated: commands.menuWanted()
    }
    Shortcut {
        sequences: KeyMap.sequences("nextPane")
        enabled: commands.isOpen
        onActivated: commands.paneWanted(true)
    }
    Shortcut {
        sequences: KeyMap.sequences("previousPane")
        enabled: commands.isOpen
        onActivated: commands.paneWanted(false)
    }
    Shortcut {
        sequences: KeyMap.sequences("fullScreen")
        onActivated: commands.window.visibility = commands.window.visibility === Window.FullScreen ? Window.Windowed : Window.FullScreen
    }
    Shortcut {
        sequences: KeyMap.sequences("closeDatabase")
        enabled: commands.isOpen
        onActivated: commands.session.closeDatabase()
    }
    Shortcut {
        sequences: KeyMap.sequences("quit")
        onActivated: Qt.quit()
    }
}
