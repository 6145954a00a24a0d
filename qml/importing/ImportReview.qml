pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// What was recognised, what was not, and where it would go. Nothing is written yet.
ColumnLayout {
    id: review

    required property ImportController controller
    signal targetWanted

    readonly property ImportPlanModel plan: controller.plan

    spacing: 0

    UiSentence {
        Layout.margins: Theme.spaceL
        visible: review.plan.count === 0
        text: qsTr("Nothing here can be read as a run. Trainscope reads %1. What was found instead:").arg(review.controller.formatsText)
    }
    RowLayout {
        Layout.fillWidth: true
        Layout.leftMargin: Theme.spaceL
        Layout.rightMargin: Theme.spaceL
        Layout.topMargin: Theme.spaceS
        visible: review.plan.count > 0
        spacing: Theme.spaceM

        UiCheckBox {
            text: qsTr("All")
            label: qsTr("Import all sources")
            checked: review.plan.allSelected
            onClicked: {
                review.plan.selectAll(checked);
                checked = Qt.binding(() => review.plan.allSelected);
            }
        }
        Item {
            Layout.fillWidth: true
        }
        UiNote {
            visible: review.plan.hasLocalClocks
            text: qsTr("Time zone of all local clocks")
        }
        UiTextField {
            Layout.preferredWidth: Theme.spaceXl * 5
            visible: review.plan.hasLocalClocks
            label: qsTr("Time zone of all local clocks")
            placeholderText: qsTr("such as +02:00")
            onEditingFinished: {
                if (text !== "")
                    review.plan.setOffsetForAll(text);
            }
        }
    }
    ListView {
        id: list

        Layout.fillWidth: true
        Layout.fillHeight: true
        Layout.topMargin: Theme.spaceS
        visible: review.plan.count > 0
        clip: true
        spacing: Theme.hairline
        boundsBehavior: Flickable.StopAtBounds
        model: review.plan
        Accessible.role: Accessible.List
        Accessible.name: qsTr("Recognised sources")
        UiScrollBar.vertical: UiScrollBar {}
        delegate: ImportUnitRow {
            width: list.width
            plan: review.plan
        }
    }
    UnrecognisedList {
        Layout.fillWidth: true
        Layout.fillHeight: review.plan.count === 0
        Layout.preferredHeight: open ? Theme.inspectorWidth / 2 : implicitHeight
        visible: review.controller.unrecognised.count > 0
        files: review.controller.unrecognised
        open: review.plan.count === 0
    }
    UiSeparator {
        Layout.fillWidth: true
        visible: review.plan.count > 0
    }
    ImportTargetRow {
        Layout.fillWidth: true
        Layout.margins: Theme.spaceM
        Layout.leftMargin: Theme.spaceL
        Layout.rightMargin: Theme.spaceL
        visible: review.plan.count > 0
        controller: review.controller
        onTargetWanted: review.targetWanted()
    }
}
