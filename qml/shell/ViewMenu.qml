pragma ComponentBehavior: Bound

import QtQml.Models
import QtQuick
import Trainscope
import Trainscope.App

// The views, with their keys.
UiMenu {
    id: menu

    required property Views views

    title: qsTr("View")

    Instantiator {
        model: menu.views.titles
        delegate: UiMenuItem {
            required property int index
            required property string modelData

            text: modelData
            choice: true
            checked: menu.views.view === index
            shortcutText: KeyMap.hint("view" + index)
            onTriggered: menu.views.view = index
        }
        onObjectAdded: (index, item) => menu.insertItem(index, item as UiMenuItem)
        onObjectRemoved: (index, item) => menu.removeItem(item as UiMenuItem)
    }
}
