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
    required property Commands commands
    property bool menuOpen: false

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
            action: bar.commands.menu
            menuOpen: bar.menuOpen
        }
        UiIconButton {
            visible: bar.isOpen
            action: bar.commands.runList
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
        visible: bar.isOpen && !bar.panes.narrow && bar.nameRoom >= Math.min(implicitWidth, 4 * Theme.hitTarget)
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
            action: bar.commands.exportShown
            text: "Export"
            iconName: bar.panes.narrow ? "" : icon.name
            toolTip: "Save what is shown as PNG, PDF, SVG or CSV"
        }
        UiIconButton {
            visible: bar.isOpen
            action: bar.commands.inspector
        }
    }
}
