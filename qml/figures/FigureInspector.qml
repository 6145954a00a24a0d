pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// What is selected in a figure, and what the figure left out.
InspectorPane {
    id: panel

    required property DrawnView controller
    // What a click does, where nothing is selected.
    property string hint: qsTr("Click a part of the figure for its numbers; double click it for its timeline.")

    InspectorHead {
        text: panel.controller.selectedTitle !== "" ? panel.controller.selectedTitle : qsTr("Nothing is selected")
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
