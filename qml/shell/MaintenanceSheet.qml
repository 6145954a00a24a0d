import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// Long work on the database: how far it is, and what it found.
UiSheet {
    id: sheet

    required property MaintenanceController controller
    readonly property bool wanted: controller.showing

    title: controller.title
    preferredWidth: Theme.sheetWidth * 0.7
    preferredHeight: Theme.hitTarget * (sheet.controller.details.length > 0 ? 14 : 8)
    closable: !controller.working
    onWantedChanged: wanted ? sheet.open() : sheet.close()
    onClosed: controller.dismiss()

    ColumnLayout {
        anchors.fill: parent
        anchors.margins: Theme.spaceL
        spacing: Theme.spaceM

        UiText {
            Layout.fillWidth: true
            visible: sheet.controller.working
            text: sheet.controller.progress.text
            color: Theme.textSecondary
        }
        UiProgressBar {
            Layout.fillWidth: true
            visible: sheet.controller.working
            fraction: sheet.controller.progress.fraction
            Accessible.name: sheet.controller.title
        }
        UiSentence {
            visible: !sheet.controller.working
            text: sheet.controller.headline
        }
        ListView {
            Layout.fillWidth: true
            Layout.fillHeight: true
            clip: true
            model: sheet.controller.details
            spacing: Theme.spaceXs
            boundsBehavior: Flickable.StopAtBounds
            delegate: UiText {
                required property string modelData

                width: ListView.view.width
                wrapMode: Text.Wrap
                text: modelData
                color: Theme.textSecondary
            }
        }
    }
    buttons: [
        UiButton {
            visible: sheet.controller.working
            enabled: !sheet.controller.stopping
            text: "Stop"
            onClicked: sheet.controller.stop()
        },
        UiButton {
            visible: !sheet.controller.working
            primary: true
            focus: true
            text: "Close"
            onClicked: sheet.close()
        }
    ]
}
