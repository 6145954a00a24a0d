pragma ComponentBehavior: Bound

import QtQml.Models
import QtQuick
import Trainscope
import Trainscope.App

// A menu of the board's panels and of their looks.
UiMenu {
    id: menu

    required property ComparisonController controller

    signal moveWanted

    title: "Board"

    UiMenuItem {
        text: "Curves below each other"
        choice: true
        checked: menu.controller.stacked
        onTriggered: menu.controller.stacked = !menu.controller.stacked
    }
    UiMenuItem {
        text: "Iterations to one length"
        choice: true
        checked: menu.controller.stretched
        onTriggered: menu.controller.stretched = !menu.controller.stretched
    }
    UiMenuItem {
        text: "Step of each stage"
        choice: true
        checked: menu.controller.perStage
        onTriggered: menu.controller.perStage = !menu.controller.perStage
    }
    UiMenuItem {
        text: "Move the runs by hand…"
        enabled: menu.controller.runLabels.length > 1
        onTriggered: menu.moveWanted()
    }
    UiMenuSeparator {}

    Instantiator {
        model: menu.controller.panels
        delegate: UiMenuItem {
            required property int index
            required property string modelData

            text: modelData
            choice: true
            checked: menu.controller.panelsShown[index]
            onTriggered: menu.controller.togglePanel(index)
        }
        onObjectAdded: (index, item) => menu.insertItem(index + 5, item as UiMenuItem)
        onObjectRemoved: (index, item) => menu.removeItem(item as UiMenuItem)
    }
}
