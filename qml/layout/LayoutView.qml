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
        // Play, the moment, the way through the run, the speed.
        Row {
            visible: controller.moving && controller.playback.available
            spacing: Theme.spaceXs
            height: Theme.controlHeight

            UiIconButton {
                objectName: "play"
                iconName: controller.playback.playing ? "pause" : "play"
                text: controller.playback.playing ? "Pause" : "Play"
                shortcutText: "Space"
                onClicked: controller.playback.playing = !controller.playback.playing
            }
            UiSlider {
                objectName: "moment"
                label: "Moment of the run"
                place: controller.playback.position
                onChosen: place => controller.playback.position = place
                Accessible.description: controller.playback.timeText
            }
            TextMetrics {
                id: widest

                font.family: Theme.fontFamily
                font.pixelSize: Theme.bodySize
                text: "00000.0 s"
            }
            UiText {
                anchors.verticalCenter: parent.verticalCenter
                width: Math.ceil(widest.advanceWidth)
                horizontalAlignment: Text.AlignRight
                text: controller.playback.timeText
            }
            UiNote {
                anchors.verticalCenter: parent.verticalCenter
                text: "of %1".arg(controller.playback.lengthText)
            }
            UiComboBox {
                objectName: "speed"
                implicitWidth: Theme.hitTarget * 3
                label: "Speed"
                model: controller.playback.speeds
                currentIndex: controller.playback.speed
                onActivated: index => controller.playback.speed = index
            }
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
