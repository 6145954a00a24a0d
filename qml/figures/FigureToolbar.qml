pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// What can be chosen in a view of figures, wrapped where the window is narrow.
SettingsBar {
    id: bar

    required property FigureController controller
    required property Views views

    Repeater {
        model: bar.controller.settings
        delegate: FigureSetting {
            onChosen: choice => bar.controller.choose(key, choice)
        }
    }
    UiButton {
        id: presetButton

        menu: true
        text: qsTr("Paper figures")
        toolTip: presets.visible ? "" : qsTr("The figures of CharLLM-PPT, made of these runs")
        onClicked: presets.popup(presetButton, 0, presetButton.height)

        PresetMenu {
            id: presets

            views: bar.views
        }
    }
}
