pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// Controls of the rows, of their search and of their drawing.
SettingsBar {
    id: bar

    required property OperatorsController controller
    signal copyWanted(string text)
    signal leaveWanted

    name: "Operators"

    function focusSearch() {
        field.forceActiveFocus(Qt.ShortcutFocusReason);
    }

    UiSearchField {
        id: field

        objectName: "operatorsSearch"
        width: Theme.runListWidth * 0.75
        placeholderText: "Search frames"
        label: "Search frames by words of their names and inputs"
        keyHint: "/"
        text: bar.controller.search
        onTextChanged: bar.controller.search = text
        Keys.onDownPressed: bar.leaveWanted()
        Keys.onReturnPressed: bar.leaveWanted()
    }
    UiNote {
        height: Theme.controlHeight
        verticalAlignment: Text.AlignVCenter
        visible: text !== ""
        text: bar.controller.foundText
    }
    Repeater {
        model: bar.controller.settings
        delegate: FigureSetting {
            onChosen: choice => bar.controller.choose(key, choice)
        }
    }
    UiButton {
        objectName: "operatorsZoom"
        visible: bar.controller.zoomable || bar.controller.zoomed
        text: bar.controller.zoomed ? "Whole tree" : "Zoom to frame"
        toolTip: bar.controller.zoomed ? "The flame graph of everything" : "The selected frame fills the flame graph"
        shortcutText: bar.controller.zoomed ? KeyMap.hint("operatorsWhole") : KeyMap.hint("operatorsZoom")
        onClicked: bar.controller.zoomed ? bar.controller.showWhole() : bar.controller.zoom()
    }
    UiIconButton {
        id: copy

        objectName: "operatorsCopy"
        iconName: "copy"
        text: "Copy"
        enabled: bar.controller.listed
        menuOpen: menu.visible
        onClicked: menu.popup(copy, 0, copy.height)
    }
    UiMenu {
        id: menu

        title: "Copy"

        UiMenuItem {
            text: "Rows as text"
            onTriggered: bar.copyWanted(bar.controller.rows.text())
        }
        UiMenuItem {
            text: "Rows as CSV"
            onTriggered: bar.copyWanted(bar.controller.csv())
        }
    }
}
