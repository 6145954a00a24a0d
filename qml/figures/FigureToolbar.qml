pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// What can be chosen in a view of figures, wrapped where the window is narrow.
Rectangle {
    id: bar

    required property FigureController controller
    required property Views views
    required property string name

    implicitHeight: flow.height + Theme.spaceM
    color: Theme.panel
    Accessible.role: Accessible.ToolBar
    Accessible.name: qsTr("%1: settings").arg(bar.name)

    Flow {
        id: flow

        x: Theme.spaceS
        y: Theme.spaceM / 2
        width: parent.width - 2 * Theme.spaceS
        spacing: Theme.spaceS

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
    UiSeparator {
        anchors.bottom: parent.bottom
        width: parent.width
    }
}
