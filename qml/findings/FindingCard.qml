pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// One finding: the sentence, its numbers, where it is seen, and its rule.
Item {
    id: card

    required property int index
    required property string run
    required property string text
    required property string rule
    required property string denominator
    required property string place
    required property int severity
    required property string severityText
    required property list<string> labels
    required property list<string> values
    property bool current: false
    signal openWanted
    signal copyWanted

    implicitHeight: column.height + 2 * Theme.spaceM
    Accessible.role: Accessible.ListItem
    Accessible.name: card.text
    Accessible.description: "%1. %2".arg(card.severityText).arg(card.rule)
    Accessible.onPressAction: card.openWanted()

    Rectangle {
        anchors.fill: parent
        anchors.leftMargin: Theme.spaceM
        anchors.rightMargin: Theme.spaceM
        radius: Theme.radius
        color: hover.hovered ? Theme.hovered : Theme.panel
        border.width: card.current ? 2 * Theme.hairline : Theme.hairline
        border.color: card.current ? Theme.accent : Theme.line

        Icon {
            id: mark

            x: Theme.spaceM
            y: Theme.spaceM
            name: card.severity === 0 ? "info" : "warning"
            color: card.severity === 2 ? Theme.warning : Theme.textSecondary
        }
        ColumnLayout {
            id: column

            anchors.left: mark.right
            anchors.leftMargin: Theme.spaceM
            anchors.right: copy.left
            anchors.rightMargin: Theme.spaceS
            y: Theme.spaceM
            spacing: Theme.spaceXs

            UiSentence {
                text: card.text
                font.weight: Font.Medium
            }
            UiName {
                Layout.fillWidth: true
                text: card.place === "" ? card.run : "%1 · %2".arg(card.run).arg(card.place)
                color: Theme.textSecondary
                font.pixelSize: Theme.secondarySize
            }
            Flow {
                Layout.fillWidth: true
                Layout.topMargin: Theme.spaceXs
                visible: card.labels.length > 0
                spacing: Theme.spaceXs

                Repeater {
                    model: card.labels
                    delegate: Row {
                        id: figure

                        required property int index
                        required property string modelData

                        spacing: Theme.spaceXs
                        rightPadding: Theme.spaceM

                        UiNote {
                            text: figure.modelData
                        }
                        UiText {
                            text: card.values[figure.index]
                            font.pixelSize: Theme.secondarySize
                            font.weight: Font.Medium
                        }
                    }
                }
            }
            UiSentence {
                text: card.denominator === "" ? "Threshold: %1".arg(card.rule) : "Threshold: %1 · basis: %2".arg(card.rule).arg(card.denominator)
                color: Theme.textSecondary
                font.pixelSize: Theme.smallSize
            }
        }
        UiIconButton {
            id: copy

            anchors.right: parent.right
            anchors.rightMargin: Theme.spaceS
            y: Theme.spaceS
            iconName: "copy"
            text: "Copy as text"
            focusPolicy: Qt.NoFocus
            opacity: hover.hovered || card.current ? 1 : 0
            onClicked: card.copyWanted()
        }
        HoverHandler {
            id: hover
        }
        TapHandler {
            onTapped: card.openWanted()
        }
    }
}
