pragma ComponentBehavior: Bound

import QtQml.Models
import QtQuick
import Trainscope
import Trainscope.App

// Which run the others are compared with.
UiMenu {
    id: menu

    required property ComparisonController controller

    title: qsTr("Compare with")

    Instantiator {
        model: menu.controller.runLabels
        delegate: UiMenuItem {
            required property int index
            required property string modelData

            text: modelData
            checkable: true
            checked: index === 0
            onTriggered: menu.controller.makeFirst(index)
        }
        onObjectAdded: (index, item) => menu.insertItem(index, item as UiMenuItem)
        onObjectRemoved: (index, item) => menu.removeItem(item as UiMenuItem)
    }
}
