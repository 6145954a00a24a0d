pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// One view of figures: its tools, the figure, the line that says what it covers, and its inspector.
ViewPage {
    id: view

    readonly property string name: session.views.titles[view.kind]

    body: canvas
    inspector: FigureInspector {
        controller: controller
    }
    exportable: controller

    FigureController {
        id: controller

        views: view.session.views
        view: view.kind
        active: view.visible
    }
    SettingsBar {
        id: toolbar

        width: parent.width
        name: view.name

        Repeater {
            model: controller.settings
            delegate: FigureSetting {
                onChosen: choice => controller.choose(key, choice)
            }
        }
    }
    FigureCanvas {
        id: canvas

        anchors.top: toolbar.bottom
        anchors.bottom: footer.top
        width: parent.width
        controller: controller
        focus: true
    }
    CaptionBar {
        id: footer

        anchors.bottom: parent.bottom
        width: parent.width
        text: controller.caption

        UiCheckBox {
            text: "Whole run"
            checked: controller.wholeRun
            onToggled: controller.wholeRun = checked
        }
    }
}
