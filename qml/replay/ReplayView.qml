pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// A step of the chosen run, replayed: its picture, changes of it in words, and its inspector.
ViewPage {
    id: view

    body: canvas
    inspector: FigureInspector {
        controller: controller
        hint: "Click a part of the picture for its numbers. Write a change above to see the step as it would be."
    }
    exportable: controller

    function focusSearch() {
        changes.forceActiveFocus(Qt.ShortcutFocusReason);
    }

    ReplayController {
        id: controller

        objectName: "replayController"
        views: view.session.views
        active: view.visible
    }
    SettingsBar {
        id: toolbar

        width: parent.width
        name: "Replay"

        Repeater {
            model: controller.settings
            delegate: FigureSetting {
                onChosen: choice => controller.choose(key, choice)
            }
        }
        UiTextField {
            id: changes

            objectName: "replayChanges"
            width: Theme.runListWidth * 0.75
            placeholderText: "If… host=0x; link=2x"
            label: "Changes of the step, separated by semicolons"
            onEditingFinished: controller.changes = text

            UiToolTip {
                wanted: changes.hovered
                text: "kernel:TEXT=0.5x, category:NAME=0.5x, operator:NAME=0x, host=0x, rank:R=median, link=2x, power-limit=500, clock=1500; several, one on top of the other"
                shortcut: "/"
            }
        }
        UiButton {
            objectName: "saveReplay"
            enabled: controller.ready && !controller.saving
            text: controller.saving ? "Saving…" : "Save as run"
            toolTip: "Keeps the step as a run of the database, for every view"
            onClicked: controller.saveAsRun()
        }
        UiButton {
            objectName: "compareReplay"
            enabled: controller.ready && !controller.saving
            text: "Compare"
            toolTip: "Keeps the step as a run, and compares it with what was measured"
            onClicked: controller.compareWithMeasured()
        }
    }
    FigureCanvas {
        id: canvas

        anchors.top: toolbar.bottom
        anchors.bottom: parent.bottom
        width: parent.width
        controller: controller
        focus: true
    }
}
