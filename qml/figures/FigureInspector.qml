pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// The inspector of a figure: its selected part, and what it left out.
InspectorPane {
    id: panel

    required property DrawnView controller
    // Shown while nothing is selected: what a click does.
    property string hint: "Click a part of the figure for its numbers; double click it for its timeline."

    InspectorHead {
        text: panel.controller.selectedTitle !== "" ? panel.controller.selectedTitle : "Nothing is selected"
    }
    InspectorText {
        visible: panel.controller.selectedTitle === ""
        text: panel.hint
    }
    FactList {
        facts: panel.controller.selectedFacts
    }
    UiButton {
        Layout.topMargin: Theme.spaceS
        visible: panel.controller.openText !== ""
        text: panel.controller.openText
        shortcutText: "Enter"
        onClicked: panel.controller.openSelected()
    }
    InspectorHead {
        visible: panel.controller.ready
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
