pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// The choices of the alignment popup.
ColumnLayout {
    id: form

    required property AlignmentModel alignment

    spacing: Theme.spaceS

    UiSectionHeader {
        text: qsTr("Align the runs")
    }
    UiButton {
        Layout.fillWidth: true
        focus: true
        text: qsTr("By start")
        checked: !form.alignment.byIteration
        onClicked: form.alignment.alignByStart()
    }
    RowLayout {
        visible: form.alignment.hasIterations
        spacing: Theme.spaceXs

        UiButton {
            Layout.fillWidth: true
            text: qsTr("By iteration %1").arg(form.alignment.iteration)
            checked: form.alignment.byIteration
            onClicked: form.alignment.alignByIteration(form.alignment.iteration)
        }
        UiIconButton {
            iconName: "minus"
            text: qsTr("Previous iteration")
            onClicked: form.alignment.alignByIteration(form.alignment.iteration - 1)
        }
        UiIconButton {
            iconName: "plus"
            text: qsTr("Next iteration")
            onClicked: form.alignment.alignByIteration(form.alignment.iteration + 1)
        }
    }
    UiSectionHeader {
        visible: clockText.visible
        text: qsTr("Clocks of the ranks")
    }
    UiCheckBox {
        Layout.fillWidth: true
        visible: form.alignment.clocksDiffer
        text: qsTr("Traces on one clock")
        checked: form.alignment.onOneClock
        onToggled: form.alignment.onOneClock = checked
    }
    UiText {
        id: clockText

        Layout.fillWidth: true
        visible: text.length > 0
        text: form.alignment.clockText
        wrapMode: Text.Wrap
    }
    UiSectionHeader {
        text: qsTr("Moved by hand, seconds")
    }
    ListView {
        Layout.fillWidth: true
        implicitHeight: Math.min(contentHeight, Theme.spaceXl * 8)
        clip: true
        spacing: Theme.spaceXs
        model: form.alignment
        delegate: AlignmentRow {
            width: ListView.view.width
            alignment: form.alignment
        }
    }
    UiButton {
        Layout.fillWidth: true
        quiet: true
        text: qsTr("Move all back")
        onClicked: form.alignment.resetOffsets()
    }
}
