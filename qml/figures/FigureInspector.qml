pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// What is selected in a figure, and what the figure left out.
InspectorPane {
    id: panel

    required property DrawnView controller

    InspectorHead {
        text: panel.controller.selectedTitle !== "" ? panel.controller.selectedTitle : qsTr("Nothing is selected")
    }
    InspectorText {
        visible: panel.controller.selectedTitle === ""
        text: qsTr("Click a part of the figure for its numbers; double click it for its timeline.")
    }
    FactList {
        facts: panel.controller.selectedFacts
    }
    UiButton {
        Layout.topMargin: Theme.spaceS
        visible: panel.controller.selectedTitle !== ""
        text: qsTr("Show on the timeline")
        shortcutText: qsTr("Enter")
        onClicked: panel.controller.openSelected()
    }
    InspectorHead {
        visible: panel.controller.ready
        text: qsTr("What is shown")
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
