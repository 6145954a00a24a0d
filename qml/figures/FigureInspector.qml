pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// The inspector of a figure: its selected part with what is known of it, and what the figure left out.
InspectorPane {
    id: panel

    required property DrawnView controller
    property string selected: controller.selectedTitle
    property FactListModel facts: controller.selectedFacts
    property string openText: controller.openText
    property bool shown: controller.ready
    default property alias more: more.data // below the facts of the selected part
    // Shown while nothing is selected: what a click does.
    property string hint: "Click a part of the figure for its numbers; double click it for its timeline."

    InspectorHead {
        text: panel.selected !== "" ? panel.selected : "Nothing is selected"
    }
    InspectorText {
        visible: panel.selected === ""
        text: panel.hint
    }
    FactList {
        facts: panel.facts
    }
    UiButton {
        Layout.topMargin: Theme.spaceS
        visible: panel.openText !== ""
        text: panel.openText
        shortcutText: "Enter"
        onClicked: panel.controller.openSelected()
    }
    Column {
        id: more

        Layout.fillWidth: true
        visible: children.length > 0
        spacing: Theme.spaceXs
    }
    InspectorHead {
        visible: panel.shown
        text: "What is shown"
    }
    InspectorText {
        text: panel.controller.title
        color: Theme.text
    }
    InspectorText {
        text: panel.controller.caption
    }
    InspectorText {
        text: panel.controller.notes
    }
}
