pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// The selected row with its figures and the kernels under it, and what the picture covers.
InspectorPane {
    id: panel

    required property OperatorsController controller

    InspectorHead {
        text: panel.controller.rowTitle !== "" ? panel.controller.rowTitle : "Nothing is selected"
    }
    InspectorText {
        visible: panel.controller.rowTitle === ""
        text: "Click a frame in the picture or a row for its numbers and kernels; double click it for its longest kernel on the timeline."
    }
    FactList {
        facts: panel.controller.rowFacts
    }
    UiButton {
        Layout.topMargin: Theme.spaceS
        objectName: "operatorsOpen"
        visible: panel.controller.openable
        text: panel.controller.timelineText
        shortcutText: "Enter"
        onClicked: panel.controller.openSelected()
    }
    InspectorTable {
        table: panel.controller.kernels
    }
    InspectorTable {
        table: panel.controller.otherKernels
    }
    InspectorHead {
        visible: panel.controller.listed
        text: "What is shown"
    }
    InspectorText {
        text: panel.controller.title
        color: Theme.text
    }
}
