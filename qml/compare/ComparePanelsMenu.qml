pragma ComponentBehavior: Bound

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
        text: "Move the runs by hand…"
        enabled: menu.controller.runLabels.length > 1
        onTriggered: menu.moveWanted()
    }
    UiMenuSeparator {}

    UiMenuItems {
        into: menu
        first: 2
        model: menu.controller.looks
        delegate: UiMenuItem {
            required property string key
            required property int current
            required label

            choice: true
            checked: current === 1
            onTriggered: menu.controller.choose(key, 1 - current)
        }
    }
}
