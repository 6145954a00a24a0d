pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// A menu of what can be done with the chosen runs.
UiMenu {
    id: menu

    required property RunsController controller
    required property var ways // RunsTable
    signal copyWanted(string text)
    signal tagWanted
    signal editWanted(string key)

    UiMenuItems {
        into: menu
        model: menu.ways
        delegate: UiMenuItem {
            required property var modelData

            text: modelData.command
            enabled: menu.controller.chosenCount >= modelData.least
            shortcutText: KeyMap.hint(modelData.keys)
            onTriggered: menu.controller.open(modelData.view)
        }
    }
    UiMenuItem {
        text: "Predict with another layout…"
        enabled: menu.controller.chosenCount === 1
        onTriggered: menu.controller.predict()
    }
    UiMenuSeparator {}
    UiMenuItem {
        text: "Edit the tags"
        iconName: "edit"
        shortcutText: KeyMap.hint("tableTags")
        onTriggered: menu.editWanted("tags")
    }
    UiMenuItem {
        text: "Edit the note"
        iconName: "edit"
        shortcutText: KeyMap.hint("tableNote")
        onTriggered: menu.editWanted("note")
    }
    UiMenuItem {
        text: "Tag all that are chosen…"
        onTriggered: menu.tagWanted()
    }
    UiMenuItem {
        text: "Undo"
        iconName: "undo"
        enabled: menu.controller.canUndo
        shortcutText: KeyMap.hint("tableUndo")
        onTriggered: menu.controller.undo()
    }
    UiMenuSeparator {}
    UiMenuItem {
        text: "Choose all that are listed"
        shortcutText: KeyMap.hint("runAll")
        onTriggered: menu.controller.chooseAll()
    }
    UiMenuItem {
        text: "Copy the chosen rows"
        iconName: "copy"
        shortcutText: KeyMap.hint("tableCopy")
        onTriggered: menu.copyWanted(menu.controller.chosenRowsText())
    }
    UiMenuItem {
        text: "Copy all rows as CSV"
        iconName: "copy"
        onTriggered: menu.copyWanted(menu.controller.csv())
    }
}
