pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// Menu, runs, name, database, places, export, inspector.
UiBar {
    id: bar

    required property Session session
    required property WindowState panes
    property bool menuOpen: false
    signal exportWanted
    signal menuWanted(Item anchor)

    readonly property bool isOpen: session.workspace.isOpen
    // Width that the name may take beside the tabs.
    readonly property real nameRoom: bar.width - head.implicitWidth - tabs.implicitWidth - tail.implicitWidth
        - 5 * Theme.spaceM

    implicitHeight: Theme.topBarHeight
    leftPadding: Theme.spaceS
    rightPadding: Theme.spaceM
    spacing: Theme.spaceS
    Accessible.role: Accessible.ToolBar
    Accessible.name: "Top bar"

    RowLayout {
        id: head

        spacing: Theme.spaceS

        UiIconButton {
            id: menuButton

            iconName: "menu"
            text: "Menu"
            shortcutText: KeyMap.hint("mainMenu")
            menuOpen: bar.menuOpen
            onClicked: bar.menuWanted(menuButton)
        }
        UiIconButton {
            visible: bar.isOpen
            iconName: "panelLeft"
            text: bar.panes.runListOpen ? "Hide the runs" : "Show the runs"
            shortcutText: KeyMap.hint("runList")
            onClicked: bar.panes.runListOpen = !bar.panes.runListOpen
        }
        UiText {
            visible: !bar.isOpen || !bar.panes.tight
            text: "Trainscope"
            font.weight: Font.DemiBold
        }
        UiTag {
            visible: text.length > 0
            text: bar.session.simulated
        }
    }
    UiName {
        Layout.fillWidth: true
        Layout.minimumWidth: 0
        Layout.maximumWidth: Math.min(Math.ceil(implicitWidth), Theme.runListWidth)
        Layout.leftMargin: Theme.spaceS
        // A name of which next to nothing can be read stands in the window's title alone.
        visible: bar.isOpen && !bar.panes.narrow && bar.nameRoom >= Math.min(implicitWidth, 4 * Theme.spaceXl)
        text: bar.session.workspace.databaseName
        color: Theme.textSecondary
    }
    ViewTabs {
        id: tabs

        Layout.leftMargin: Theme.spaceS
        visible: bar.isOpen
        folded: bar.width < head.implicitWidth + openWidth + tail.implicitWidth + 4 * Theme.spaceM
        places: bar.session.places
    }
    Item {
        Layout.fillWidth: true
    }
    RowLayout {
        id: tail

        spacing: Theme.spaceS

        UiButton {
            visible: bar.isOpen
            text: "Export"
            iconName: bar.panes.narrow ? "" : "export"
            toolTip: "Save what is shown as PNG, PDF, SVG or CSV"
            shortcutText: KeyMap.hint("export")
            onClicked: bar.exportWanted()
        }
        UiIconButton {
            visible: bar.isOpen
            iconName: "panelRight"
            text: bar.panes.inspectorOpen ? "Hide the inspector" : "Show the inspector"
            shortcutText: KeyMap.hint("inspector")
            onClicked: bar.panes.inspectorOpen = !bar.panes.inspectorOpen
        }
    }
}
