pragma ComponentBehavior: Bound

import QtQml.Models
import QtQuick
import Trainscope
import Trainscope.App

// With what a capture can be compared.
UiMenu {
    id: menu

    required property TimelineController controller
    readonly property var others: menu.controller.otherCaptures

    title: "Capture %1".arg(menu.controller.captureName)

    UiMenuItem {
        text: menu.others.length > 0 ? "Compare “%1” with".arg(menu.controller.captureName) : "No other capture to compare with"
        enabled: false
    }
    UiMenuItem {
        text: "All %1 other captures".arg(menu.others.length)
        visible: menu.others.length > 1
        height: visible ? implicitHeight : 0
        onTriggered: menu.controller.compareCapture(-1)
    }
    Instantiator {
        model: menu.others
        delegate: UiMenuItem {
            required property int index
            required property string modelData

            label: modelData
            onTriggered: menu.controller.compareCapture(index)
        }
        onObjectAdded: (index, item) => menu.insertItem(index + 1, item as UiMenuItem)
        onObjectRemoved: (index, item) => menu.removeItem(item as UiMenuItem)
    }
}
