pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// Connects to a monitoring engine: where it is, what is taken of it, and as what.
UiSheet {
    id: sheet

    required property ConnectController controller

    title: "Connect to a monitoring engine"
    subtitle: "Prometheus, VictoriaMetrics, Thanos or Mimir. Linked, the timeline asks for what it shows; copied, everything else works too."
    closable: !sheet.controller.busy
    preferredHeight: Theme.sheetWidth * 0.9

    Connections {
        target: sheet.controller

        function onDone() {
            sheet.close();
        }
    }
    ColumnLayout {
        anchors.fill: parent
        anchors.margins: Theme.spaceL
        spacing: Theme.spaceS

        UiCheckBox {
            objectName: "linked"
            text: "Leave the samples in the engine (linked)"
            checked: sheet.controller.linked
            enabled: !sheet.controller.busy
            onClicked: {
                sheet.controller.linked = checked;
                checked = Qt.binding(() => sheet.controller.linked);
            }
        }
        GridLayout {
            columns: 2
            columnSpacing: Theme.spaceL
            rowSpacing: Theme.spaceS

            Repeater {
                model: sheet.controller.form
                delegate: UiFormField {
                    Layout.fillWidth: true
                    Layout.preferredWidth: 1
                    share: 0.7
                    enabled: !sheet.controller.busy
                    onEdited: text => sheet.controller.say(key, text)
                    onEntered: sheet.controller.ask()
                }
            }
        }
        UiSeparator {
            Layout.fillWidth: true
        }
        UiSentence {
            objectName: "outcome"
            Layout.fillWidth: true
            text: sheet.controller.errorText !== "" ? sheet.controller.errorText : sheet.controller.found ? sheet.controller.foundText : "Look what there is before you take it; what is not recognised can be named below."
            color: sheet.controller.errorText !== "" ? Theme.warning : Theme.textSecondary
            Accessible.role: Accessible.AlertMessage
            Accessible.name: text
        }
        UiList {
            id: list

            objectName: "metrics"
            Layout.fillWidth: true
            Layout.fillHeight: true
            model: sheet.controller.metrics
            Accessible.name: "Metrics of the engine and what they are"
            delegate: RowLayout {
                id: metricRow

                required property int index
                required property string engineName
                required property string metric
                required property string seriesText

                width: list.width - Theme.spaceM
                spacing: Theme.spaceM
                Accessible.role: Accessible.ListItem
                Accessible.name: metricRow.engineName

                UiName {
                    Layout.fillWidth: true
                    text: metricRow.engineName
                }
                UiNote {
                    Layout.preferredWidth: Theme.hitTarget * 5
                    text: metricRow.seriesText
                }
                UiTextField {
                    objectName: "metric" + metricRow.index
                    Layout.preferredWidth: Theme.hitTarget * 7
                    label: "What %1 is; empty: not imported".arg(metricRow.engineName)
                    placeholderText: "not imported"
                    text: metricRow.metric
                    onEditingFinished: sheet.controller.metrics.setMetric(metricRow.index, text)
                }
            }
        }
        UiProgressBar {
            Layout.fillWidth: true
            visible: sheet.controller.busy
            fraction: Math.max(0, sheet.controller.progress.fraction)
        }
    }
    buttons: [
        UiNote {
            Layout.fillWidth: true
            text: sheet.controller.busy ? sheet.controller.progress.text : ""
        },
        UiButton {
            objectName: "ask"
            enabled: sheet.controller.canAsk
            text: "Look"
            toolTip: "Ask the engine which GPUs and metrics it has"
            onClicked: sheet.controller.ask()
        },
        UiButton {
            objectName: "stop"
            visible: sheet.controller.busy
            text: "Stop"
            onClicked: sheet.controller.stop()
        },
        UiButton {
            objectName: "start"
            primary: true
            enabled: sheet.controller.canStart
            text: sheet.controller.linked ? "Link" : "Copy"
            onClicked: sheet.controller.start()
        }
    ]
}
