import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// Edits the marked runs at once, or all where none is marked.
RowLayout {
    id: bar

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
    UiComboBox {
        objectName: "scopeClock"
        Layout.preferredWidth: Theme.spaceXl * 4.5
        visible: bar.groups.scopeHasClocks
        label: "Clock of these runs"
        model: bar.groups.clockChoices
        currentIndex: -1
        displayText: "Clock"
        onActivated: index => {
            bar.groups.setScopeClock(index);
            currentIndex = -1;
        }
    }
    UiTextField {
        objectName: "scopeOffset"
        Layout.preferredWidth: Theme.spaceXl * 5
        visible: bar.groups.scopeHasClocks
        label: "Time zone of these runs"
        placeholderText: "Time zone"
        // Not where another window takes the keys.
        onEditingFinished: {
            if (!Window.active)
                return;
            if (text !== "")
                bar.groups.setScopeOffset(text);
            clear();
        }
    }
    UiTextField {
        objectName: "scopeGpuModel"
        Layout.preferredWidth: Theme.spaceXl * 5
        label: "Model of the GPUs of these runs"
        placeholderText: "GPU model"
        // Not where another window takes the keys.
        onEditingFinished: {
            if (!Window.active)
                return;
            if (text !== "")
                bar.groups.setScopeGpuModel(text);
            clear();
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
