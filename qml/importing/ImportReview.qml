pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// The import plan before anything is written: recognised files, the others, and the target.
ColumnLayout {
    id: review

    required property ImportController controller
    signal targetWanted

    readonly property ImportPlanModel plan: controller.plan
    readonly property ImportGroupModel groups: controller.groups

    spacing: 0

    function fold(open: bool) {
        const line = list.currentItem as ImportGroupRow;
        if (line && line.isRun && line.unfolded !== open)
            review.groups.toggle(line.index);
    }

    UiSentence {
        Layout.margins: Theme.spaceL
        visible: review.plan.count === 0
        text: review.controller.emptyText
    }
    ImportScopeBar {
        Layout.fillWidth: true
        Layout.leftMargin: Theme.spaceL
        Layout.rightMargin: Theme.spaceL
        Layout.topMargin: Theme.spaceS
        visible: review.plan.count > 0
        plan: review.plan
        groups: review.groups
    }
    UiList {
        id: list

        objectName: "groups"
        Layout.fillWidth: true
        Layout.fillHeight: true
        Layout.topMargin: Theme.spaceXs
        visible: review.plan.count > 0
        model: review.groups
        Accessible.name: "Runs and their sources"
        Keys.onRightPressed: review.fold(true)
        Keys.onLeftPressed: review.fold(false)
        Keys.onSpacePressed: event => review.groups.mark(list.currentIndex, true, (event.modifiers & Qt.ShiftModifier) !== 0)
        delegate: ImportGroupRow {
            width: list.width
            current: ListView.isCurrentItem && list.activeFocus
            groups: review.groups
        }
    }
    Column {
        Layout.fillWidth: true
        Layout.leftMargin: Theme.spaceL
        Layout.rightMargin: Theme.spaceL
        Repeater {
            model: review.controller.suggestions

            RowLayout {
                required property int index
                required property string modelData

                width: parent.width
                UiText {
                    Layout.fillWidth: true
                    text: parent.modelData
                }
                UiButton {
                    quiet: true
                    text: "Join"
                    onClicked: review.controller.joinSuggested(parent.index)
                }
            }
        }
    }
    UnrecognisedList {
        Layout.fillWidth: true
        Layout.fillHeight: review.plan.count === 0
        Layout.preferredHeight: open ? Theme.inspectorWidth / 2 : implicitHeight
        visible: review.controller.unrecognised.count > 0
        files: review.controller.unrecognised
        alone: review.plan.count === 0
    }
    UiSeparator {
        Layout.fillWidth: true
        visible: review.plan.count > 0
    }
    // The target: the open database, or a file.
    RowLayout {
        Layout.fillWidth: true
        Layout.margins: Theme.spaceM
        Layout.leftMargin: Theme.spaceL
        Layout.rightMargin: Theme.spaceL
        visible: review.plan.count > 0
        spacing: Theme.spaceM

        UiText {
            text: "Into"
            color: Theme.textSecondary
        }
        UiComboBox {
            visible: review.controller.canUseOpen
            label: "Database that takes the runs"
            model: ["the open database", "another file"]
            currentIndex: review.controller.useOpen ? 0 : 1
            onActivated: index => {
                review.controller.useOpen = index === 0;
                currentIndex = Qt.binding(() => review.controller.useOpen ? 0 : 1);
            }
        }
        ColumnLayout {
            spacing: Theme.spaceXs

            UiTextField {
                objectName: "target"
                Layout.fillWidth: true
                readOnly: review.controller.useOpen
                label: "Path of the database that takes the runs"
                text: review.controller.targetPath
                faulty: review.controller.targetProblem !== ""
                onTextEdited: review.controller.setTargetText(text)
                onEditingFinished: review.controller.settleTarget()
            }
            UiSentence {
                objectName: "targetNote"
                text: review.controller.targetProblem !== "" ? review.controller.targetProblem : review.controller.targetNote
                color: review.controller.targetProblem !== "" ? Theme.warning : Theme.textSecondary
                font.pixelSize: Theme.secondarySize
            }
        }
        UiButton {
            text: "Choose…"
            toolTip: "Choose the database that takes the runs"
            onClicked: review.targetWanted()
        }
    }
}
