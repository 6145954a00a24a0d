import QtQuick
import Trainscope
import Trainscope.App

// The place that says what to drop, with the buttons for those who would rather choose.
Rectangle {
    id: zone

    required property Commands commands
    property bool active: false

    implicitHeight: content.height + 2 * Theme.spaceXl
    radius: Theme.radius * 2
    color: zone.active ? Theme.selection : Theme.panel
    border.width: zone.active ? 2 * Theme.hairline : Theme.hairline
    border.color: zone.active ? Theme.accent : Theme.line

    Column {
        id: content

        anchors.centerIn: parent
        width: parent.width - 2 * Theme.spaceXl
        spacing: Theme.spaceM

        Icon {
            anchors.horizontalCenter: parent.horizontalCenter
            width: Theme.spaceXl + Theme.spaceS
            height: width
            name: "download"
            color: zone.active ? Theme.accent : Theme.textSecondary
        }
        UiText {
            width: parent.width
            horizontalAlignment: Text.AlignHCenter
            text: zone.active ? "Let go to look at it" : "Drop files or folders here, or anywhere on the window"
        }
        Row {
            anchors.horizontalCenter: parent.horizontalCenter
            spacing: Theme.spaceS

            UiButton {
                primary: true
                focus: true
                objectName: "importFolder"
                iconName: ""
                action: zone.commands.importFolder
            }
            UiButton {
                objectName: "importFiles"
                iconName: ""
                action: zone.commands.importFiles
            }
            UiButton {
                objectName: "connect"
                action: zone.commands.connectEngine
                toolTip: "To a monitoring engine: Prometheus, VictoriaMetrics, Thanos, Mimir"
            }
            UiButton {
                objectName: "openDatabase"
                iconName: ""
                action: zone.commands.open
                text: "Open a run database…"
            }
        }
    }
}
