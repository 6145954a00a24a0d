import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// Progress of an import: the file under way with its phase, and everything with rate and time left.
ColumnLayout {
    id: progress

    required property ImportController controller
    readonly property var now: controller.progress

    spacing: Theme.spaceM

    ColumnLayout {
        Layout.fillWidth: true
        Layout.margins: Theme.spaceL
        spacing: Theme.spaceS

        UiText {
            Layout.fillWidth: true
            text: progress.now.unit
            elide: Text.ElideMiddle
        }
        UiNote {
            Layout.fillWidth: true
            text: progress.now.phase
        }
        UiProgressBar {
            Layout.fillWidth: true
            visible: progress.controller.stage === ImportController.Stage.Importing
            fraction: progress.now.unitFraction
            Accessible.name: "This source"
        }
        UiNote {
            Layout.topMargin: Theme.spaceS
            text: "Altogether"
        }
        UiProgressBar {
            Layout.fillWidth: true
            fraction: progress.now.fraction
            Accessible.name: "Altogether"
        }
        RowLayout {
            spacing: Theme.spaceL

            UiNote {
                Layout.fillWidth: true
                text: progress.now.amount
            }
            UiNote {
                text: progress.now.rate
            }
            UiText {
                text: progress.now.timeLeft
                font.pixelSize: Theme.secondarySize
            }
        }
    }
    Item {
        Layout.fillHeight: true
    }
}
