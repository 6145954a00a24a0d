pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// The view of a run's ranks in the machine, and of the traffic between them.
ViewPage {
    id: view

    readonly property alias controller: controller

    kind: Views.Layout
    body: canvas
    inspector: LayoutInspector {
        controller: controller
        onCopyWanted: text => view.session.copyText(text)
        onPlacementWanted: canvas.showPlacement()
        onMachineWanted: machine.begin()
    }
    exportable: controller

    LayoutController {
        id: controller

        views: view.session.views
        active: view.visible
    }
    SettingsBar {
        id: toolbar

        width: parent.width
        name: "Layout"

        Repeater {
            model: controller.settings
            delegate: FigureSetting {
                onChosen: choice => controller.choose(key, choice)
            }
        }
        PlaybackBar {
            visible: controller.moving && controller.playback.available
            playback: controller.playback
        }
    }
    LayoutCanvas {
        id: canvas

        anchors.top: toolbar.bottom
        anchors.bottom: footer.top
        width: parent.width
        controller: controller
        focus: true
        onFormWanted: form.begin()
    }
    LayoutFooter {
        id: footer

        anchors.bottom: parent.bottom
        width: parent.width
        controller: controller
        onFormWanted: form.begin()
    }
    LayoutFormSheet {
        id: form

        home: view
        subject: view.session.workspace.databasePath + controller.title
        controller: controller
    }
    MachineSheet {
        id: machine

        home: view
        subject: view.session.workspace.databasePath + controller.title
        controller: controller
    }
}
