pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// The places, with their keys.
UiMenu {
    id: menu

    required property Places places

    title: "View"

    UiMenuItems {
        into: menu
        model: menu.places.titles
        delegate: UiMenuItem {
            required property int index
            required property string modelData

            text: modelData
            choice: true
            checked: menu.places.place === index
            shortcutText: KeyMap.hint("place" + index)
            onTriggered: menu.places.open(index)
        }
    }
}
