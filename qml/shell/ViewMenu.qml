pragma ComponentBehavior: Bound

import QtQml.Models
import QtQuick
import Trainscope
import Trainscope.App

// The views, with their keys.
UiMenu {
    id: menu

    required property BenchState bench

    title: qsTr("View")

    Instantiator {
        model: menu.bench.titles
        delegate: UiMenuItem {
            required property int index
            required property string modelData

            text: modelData
            checkable: true
            checked: menu.bench.view === index
            shortcutText: KeyMap.hint("view" + index)
            onTriggered: menu.bench.view = index
        }
        onObjectAdded: (index, item) => menu.insertItem(index, item as UiMenuItem)
        onObjectRemoved: (index, item) => menu.removeItem(item as UiMenuItem)
    }
}
