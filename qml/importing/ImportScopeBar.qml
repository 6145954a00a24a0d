pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// Edits the marked runs at once, or all where none is marked.
RowLayout {
    id: bar

    objectName: "scopeBar"

    required property ImportPlanModel plan
    required property ImportGroupModel groups

    spacing: Theme.spaceS

    UiCheckBox {
        text: "All"
        label: "Import all sources"
        checked: bar.plan.allSelected
        onClicked: {
            bar.plan.selectAll(checked);
            checked = Qt.binding(() => bar.plan.allSelected);
        }
    }
    UiText {
        objectName: "scope"
        Layout.fillWidth: true
        horizontalAlignment: Text.AlignRight
        text: bar.groups.scopeText
        color: bar.groups.markedCount > 0 ? Theme.text : Theme.textSecondary
    }
    // No layout: one that loses a delegate while it arranges falls over it in Qt 6.4.
    Row {
        spacing: Theme.spaceS
        Repeater {
            model: bar.groups.scopeFields.length

            ImportField {
                required property int index

                field: bar.groups.scopeFields[index] ?? ({key: "", label: "", value: "", hint: "", choices: [], faulty: false})
                of: bar.groups.scopeText
                brief: field.value === ""
                onSaid: text => bar.groups.setScope(field.key, text)
            }
        }
    }
    UiButton {
        objectName: "leaveOut"
        visible: bar.groups.markedCount > 0
        text: "Leave out"
        toolTip: "Do not import the marked runs"
        onClicked: bar.groups.setScopeSelected(false)
    }
    UiButton {
        objectName: "merge"
        visible: bar.groups.markedCount > 1
        text: "Merge"
        toolTip: "One run of all marked ones"
        onClicked: bar.groups.merge()
    }
    UiButton {
        objectName: "split"
        visible: bar.groups.splittable
        text: "Split"
        toolTip: "A run of each source, or those that were proposed"
        onClicked: bar.groups.split()
    }
    UiIconButton {
        objectName: "clearMarks"
        visible: bar.groups.markedCount > 0
        iconName: "close"
        text: "Mark none"
        onClicked: bar.groups.clearMarks()
    }
}
