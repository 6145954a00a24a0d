pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// Every lane that the shown runs could have, and what is drawn over them.
UiMenu {
    id: menu

    required property TimelineController controller

    height: Math.min(implicitHeight, Window.window ? Window.window.height / 2 : implicitHeight)

    UiMenuItem {
        text: "Reset the lanes"
        iconName: "restore"
        onTriggered: menu.controller.lanes.reset()
    }
    UiMenuItem {
        text: "Throttling and settling"
        choice: true
        checked: menu.controller.overlays.visible
        onTriggered: menu.controller.overlays.visible = !menu.controller.overlays.visible
    }
    UiMenuSeparator {}

    Instantiator {
        model: menu.controller.lanes.choices
        delegate: UiMenuItem {
            required property int index
            required property string modelData

            label: modelData
            iconName: "plus"
            onTriggered: menu.controller.lanes.add(index)
        }
        onObjectAdded: (index, item) => menu.addItem(item as T.MenuItem)
        onObjectRemoved: (index, item) => menu.removeItem(item as T.MenuItem)
    }
}
