pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// The comparisons that the database keeps, and what can be done with the open one.
UiMenu {
    id: menu

    required property ComparisonController controller
    readonly property bool canSave: menu.controller.runLabels.length > 1
    signal nameWanted(bool renaming)

    title: "Comparisons"

    UiMenuItem {
        text: "Save"
        enabled: menu.controller.kept && menu.controller.modified
        onTriggered: menu.controller.save()
    }
    UiMenuItem {
        text: "Save as…"
        enabled: menu.canSave
        onTriggered: menu.nameWanted(false)
    }
    UiMenuItem {
        text: "Rename…"
        enabled: menu.controller.kept
        onTriggered: menu.nameWanted(true)
    }
    UiMenuItem {
        text: "Remove"
        iconName: "trash"
        enabled: menu.controller.kept
        onTriggered: menu.controller.removeSaved()
    }
    UiMenuSeparator {
        visible: menu.controller.savedNames.length > 0
        height: visible ? implicitHeight : 0
    }
    UiMenuItems {
        into: menu
        first: 5
        model: menu.controller.savedNames
        delegate: UiMenuItem {
            required property string modelData

            label: modelData
            choice: true
            checked: modelData === menu.controller.savedName
            onTriggered: menu.controller.openSaved(modelData)
        }
    }
}
