import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// Progress of an import: the file under way with its phase, and everything with rate and time left.
ColumnLayout {
    id: progress

    required property ImportController controller

    spacing: Theme.spaceM

    ColumnLayout {
        Layout.fillWidth: true
        Layout.margins: Theme.spaceL
        spacing: Theme.spaceS

        UiText {
            Layout.fillWidth: true
            text: progress.controller.unitText
            elide: Text.ElideMiddle
        }
        UiNote {
            Layout.fillWidth: true
            text: progress.controller.phaseText
        }
        UiProgressBar {
            Layout.fillWidth: true
            visible: progress.controller.stage === ImportController.Stage.Importing
            indeterminate: progress.controller.unitFraction < 0
            value: progress.controller.unitFraction
            Accessible.name: "This source"
        }
        UiNote {
            Layout.topMargin: Theme.spaceS
            text: "Altogether"
        }
        UiProgressBar {
            Layout.fillWidth: true
            indeterminate: progress.controller.fraction < 0
            value: progress.controller.fraction
            Accessible.name: "Altogether"
        }
        RowLayout {
            spacing: Theme.spaceL

            UiNote {
                Layout.fillWidth: true
                text: progress.controller.amountText
            }
            UiNote {
                text: progress.controller.rateText
            }
            UiText {
                text: progress.controller.timeLeftText
                font.pixelSize: Theme.secondarySize
            }
        }
    }
    Item {
        Layout.fillHeight: true
    }
}
