pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// The figures of the paper whose shape any result tree can be shown in.
UiMenu {
    id: menu

    required property Views views

    title: "Figures of CharLLM-PPT"

    UiMenuItems {
        into: menu
        model: menu.views.presets
        delegate: UiMenuItem {
            required property int index
            required property string modelData

            text: modelData
            onTriggered: menu.views.openPreset(index)
        }
    }
}
