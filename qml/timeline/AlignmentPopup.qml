pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// Runs are laid over each other by their starts, by the clock, by an iteration, and each moved by hand.
T.Popup {
    id: popup

    required property TimelineController controller
    readonly property AlignmentModel alignment: controller.alignment

    margins: Theme.spaceS
    padding: Theme.spaceM
    focus: true
    closePolicy: T.Popup.CloseOnEscape | T.Popup.CloseOnPressOutside
    implicitWidth: Theme.runListWidth + leftPadding + rightPadding
    implicitHeight: contentItem.implicitHeight + topPadding + bottomPadding

    UiPopupHome {
        guest: popup
    }

    // One run and how far it is moved.
    component AlignmentRow: RowLayout {
        id: row

        required property AlignmentModel alignment
        required property int index
        required property string runName
        required property color runColor
        required property string offsetText

        spacing: Theme.spaceS

        Rectangle {
            implicitWidth: Theme.spaceM
            implicitHeight: Theme.spaceM
            radius: Theme.radius
            color: row.runColor
        }
        UiName {
            Layout.fillWidth: true
            text: row.runName
        }
        UiTextField {
            implicitWidth: Theme.hitTarget * 4
            label: "Seconds that %1 is moved".arg(row.runName)
            text: row.offsetText
            onTextEdited: faulty = false
            onEditingFinished: faulty = !row.alignment.moveRun(row.index, text)
        }
    }

    contentItem: ColumnLayout {
        spacing: Theme.spaceS

        UiSectionHeader {
            text: "Align the runs"
        }
        UiButton {
            Layout.fillWidth: true
            focus: true
            text: "By start"
            checked: popup.alignment.byStart
            onClicked: popup.alignment.alignByStart()
        }
        UiButton {
            Layout.fillWidth: true
            text: "By clock"
            toolTip: "Every run at its own time; UTC and local time on the axis imply it"
            checked: popup.alignment.byClock
            onClicked: popup.alignment.alignByClock()
        }
        RowLayout {
            visible: popup.alignment.hasIterations
            spacing: Theme.spaceXs

            UiButton {
                Layout.fillWidth: true
                text: "By iteration %1".arg(popup.alignment.iteration)
                checked: popup.alignment.byIteration
                onClicked: popup.alignment.alignByIteration(popup.alignment.iteration)
            }
            UiIconButton {
                iconName: "minus"
                text: "Previous iteration"
                onClicked: popup.alignment.alignByIteration(popup.alignment.iteration - 1)
            }
            UiIconButton {
                iconName: "plus"
                text: "Next iteration"
                onClicked: popup.alignment.alignByIteration(popup.alignment.iteration + 1)
            }
        }
        UiSectionHeader {
            visible: popup.alignment.clockText !== ""
            text: "Clocks of the ranks"
        }
        UiCheckBox {
            Layout.fillWidth: true
            visible: popup.alignment.clocksDiffer
            text: "Traces on one clock"
            checked: popup.alignment.onOneClock
            onToggled: popup.alignment.onOneClock = checked
        }
        UiSentence {
            text: popup.alignment.clockText
        }
        UiSectionHeader {
            text: "Moved by hand, seconds"
        }
        ListView {
            Layout.fillWidth: true
            implicitHeight: Math.min(contentHeight, Theme.hitTarget * 8)
            clip: true
            spacing: Theme.spaceXs
            model: popup.alignment
            delegate: AlignmentRow {
                width: ListView.view.width
                alignment: popup.alignment
            }
        }
        UiButton {
            Layout.fillWidth: true
            quiet: true
            text: "Move all back"
            onClicked: popup.alignment.resetOffsets()
        }
    }
    background: UiRaised {}
}
