pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// Before anything is open: where to drop, what was opened lately, the sample, and what can be read.
FocusScope {
    id: page

    required property Session session
    required property Commands commands
    required property bool dropping

    Accessible.role: Accessible.Pane
    Accessible.name: "Start page"

    Flickable {
        anchors.fill: parent
        contentHeight: column.height + 2 * Theme.spaceXl
        boundsBehavior: Flickable.StopAtBounds
        clip: true

        ColumnLayout {
            id: column

            x: (parent.width - width) / 2
            y: Math.max(Theme.spaceXl, (page.height - height) / 2)
            width: Math.min(page.width - 2 * Theme.spaceXl, Theme.sheetWidth)
            spacing: Theme.spaceXl

            ColumnLayout {
                spacing: Theme.spaceXs

                UiSentence {
                    text: "Where did the time, the energy and the heat go?"
                    font.pixelSize: Theme.titleSize
                    font.weight: Font.DemiBold
                    Accessible.role: Accessible.Heading
                    Accessible.name: text
                }
                UiSentence {
                    text: "Drop what a training run left behind. Nothing is written before you have seen what was recognised."
                    color: Theme.textSecondary
                }
            }
            Rectangle {
                Layout.fillWidth: true
                implicitHeight: offer.height + 2 * Theme.spaceXl
                radius: Theme.radius * 2
                color: page.dropping ? Theme.selection : Theme.panel
                border.width: page.dropping ? 2 * Theme.hairline : Theme.hairline
                border.color: page.dropping ? Theme.accent : Theme.line

                Column {
                    id: offer

                    anchors.centerIn: parent
                    width: parent.width - 2 * Theme.spaceXl
                    spacing: Theme.spaceM

                    Icon {
                        anchors.horizontalCenter: parent.horizontalCenter
                        width: Theme.hitTarget + Theme.spaceS
                        height: width
                        name: "download"
                        color: page.dropping ? Theme.accent : Theme.textSecondary
                    }
                    UiText {
                        width: parent.width
                        horizontalAlignment: Text.AlignHCenter
                        text: page.dropping ? "Let go to look at it" : "Drop files or folders here, or anywhere on the window"
                    }
                    Row {
                        anchors.horizontalCenter: parent.horizontalCenter
                        spacing: Theme.spaceS

                        UiButton {
                            primary: true
                            focus: true
                            objectName: "importFolder"
                            iconName: ""
                            action: page.commands.importFolder
                        }
                        UiButton {
                            objectName: "importFiles"
                            iconName: ""
                            action: page.commands.importFiles
                        }
                        UiButton {
                            objectName: "connect"
                            action: page.commands.connectEngine
                            toolTip: "To a monitoring engine: Prometheus, VictoriaMetrics, Thanos, Mimir"
                        }
                        UiButton {
                            objectName: "openDatabase"
                            iconName: ""
                            action: page.commands.open
                            text: "Open a run database…"
                        }
                    }
                }
            }
            GridLayout {
                Layout.fillWidth: true
                columns: 2
                columnSpacing: Theme.spaceXl * 2
                rowSpacing: Theme.spaceXl

                RecentList {
                    Layout.fillWidth: true
                    Layout.fillHeight: true
                    Layout.preferredWidth: Theme.runListWidth
                    Layout.alignment: Qt.AlignTop
                    session: page.session
                }
                ColumnLayout {
                    Layout.fillWidth: true
                    Layout.preferredWidth: Theme.runListWidth
                    Layout.alignment: Qt.AlignTop
                    spacing: Theme.spaceM

                    UiSectionHeader {
                        text: "Without data of your own"
                    }
                    UiButton {
                        objectName: "openSample"
                        action: page.commands.openSample
                    }
                    UiNote {
                        Layout.fillWidth: true
                        text: "Simulated: one GPT-3 175B job on 32 H200 and on 64 H100."
                        wrapMode: Text.Wrap
                    }
                    UiSectionHeader {
                        Layout.topMargin: Theme.spaceM
                        text: "What can be read"
                    }
                    Repeater {
                        model: page.session.importing.formats

                        UiNote {
                            required property string modelData

                            Layout.fillWidth: true
                            text: modelData
                            wrapMode: Text.Wrap
                        }
                    }
                }
            }
        }
    }
}
