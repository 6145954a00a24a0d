pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// The runs that were made and the warnings of all sources, then the reports of each, what needs attention first.
ColumnLayout {
    id: view

    required property ImportReportModel report

    // No header of the list below: Qt 6.4 makes none from a bound component.
    UiList {
        Layout.fillWidth: true
        Layout.leftMargin: Theme.spaceL
        Layout.rightMargin: Theme.spaceL
        Layout.topMargin: Theme.spaceM
        Layout.preferredHeight: Math.min(contentHeight, view.height / 2)
        visible: count > 0
        model: [...view.report.runs, ...view.report.warnings]
        delegate: UiSentence {
            required property int index
            required property string modelData
            readonly property bool isRun: index < view.report.runs.length

            width: ListView.view.width
            text: modelData
            color: isRun ? Theme.text : Theme.warning
            font.pixelSize: isRun ? Theme.bodySize : Theme.secondarySize
        }
    }
    UiList {
        id: list

        Layout.fillWidth: true
        Layout.fillHeight: true
        focus: visible
        model: view.report
        Accessible.name: "Import report"
        delegate: Item {
            id: entry

            required property string path
            required property string brief
            required property string origin
            required property string verdict
            required property int severity
            required property list<string> factLabels
            required property list<string> factValues
            required property list<string> warnings
            property bool unfolded: false

            width: list.width
            height: block.height + Theme.spaceXl
            Accessible.role: Accessible.ListItem
            Accessible.name: "%1: %2".arg(entry.path).arg(entry.verdict)

            ColumnLayout {
                id: block

                x: Theme.spaceL
                y: Theme.spaceM
                width: parent.width - 2 * Theme.spaceL
                spacing: Theme.spaceXs

                RowLayout {
                    spacing: Theme.spaceS

                    Icon {
                        name: ["check", "warning", "error"][entry.severity]
                        color: entry.severity === 0 ? Theme.textSecondary : Theme.warning
                    }
                    UiName {
                        Layout.fillWidth: true
                        full: entry.path
                        brief: entry.brief
                        font.weight: Font.Medium
                    }
                    UiText {
                        text: entry.verdict
                        color: entry.severity === 0 ? Theme.textSecondary : Theme.warning
                    }
                    UiIconButton {
                        objectName: "unfold"
                        visible: entry.factLabels.length + entry.warnings.length > 0
                        implicitWidth: Theme.hitTarget
                        implicitHeight: Theme.hitTarget
                        iconName: entry.unfolded ? "chevronUp" : "chevronDown"
                        text: entry.unfolded ? "Fewer details" : "Details"
                        onClicked: entry.unfolded = !entry.unfolded
                    }
                }
                UiName {
                    Layout.fillWidth: true
                    Layout.leftMargin: Theme.spaceXl
                    text: entry.origin
                    color: Theme.textSecondary
                    font.pixelSize: Theme.secondarySize
                }
                Repeater {
                    model: entry.unfolded || list.count === 1 ? entry.warnings : []

                    UiSentence {
                        required property string modelData

                        Layout.leftMargin: Theme.spaceXl
                        text: modelData
                        color: Theme.warning
                        font.pixelSize: Theme.secondarySize
                    }
                }
                GridLayout {
                    visible: entry.unfolded
                    Layout.leftMargin: Theme.spaceXl
                    Layout.topMargin: Theme.spaceXs
                    columns: 2
                    columnSpacing: Theme.spaceXl
                    rowSpacing: Theme.spaceXs / 2

                    Repeater {
                        model: entry.unfolded ? entry.factLabels.length * 2 : 0

                        UiText {
                            required property int index
                            readonly property bool isLabel: index % 2 === 0

                            Layout.fillWidth: !isLabel
                            text: (isLabel ? entry.factLabels : entry.factValues)[Math.floor(index / 2)]
                            color: isLabel ? Theme.textSecondary : Theme.text
                            font.pixelSize: Theme.secondarySize
                            wrapMode: isLabel ? Text.NoWrap : Text.Wrap
                        }
                    }
                }
            }
        }
    }
}
