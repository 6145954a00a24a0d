pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// The selected rank, what its groups exchange, and what is to be known of the layout.
InspectorPane {
    id: panel

    required property LayoutController controller
    signal copyWanted(string text)
    signal placementWanted
    signal machineWanted

    InspectorText {
        visible: panel.controller.selection.rank < 0
        text: "Click a GPU for its place, its readings and what it exchanges; it is selected in every view."
    }
    FactList {
        facts: panel.controller.selection.facts
    }
    UiButton {
        Layout.topMargin: Theme.spaceS
        visible: panel.controller.selection.rank >= 0
        text: "Show on the timeline"
        shortcutText: "Enter"
        onClicked: panel.controller.selection.open()
    }
    RowLayout {
        Layout.topMargin: Theme.spaceS
        visible: panel.controller.placementText !== ""

        InspectorHead {
            text: "Placement for the heat"
        }
        UiTag {
            visible: panel.controller.placementTitle !== ""
            text: "Estimate"
        }
    }
    InspectorText {
        text: panel.controller.placementTitle
        color: Theme.text
    }
    InspectorText {
        text: panel.controller.placementText
        font.pixelSize: Theme.secondarySize
    }
    FactList {
        facts: panel.controller.placementFacts
    }
    UiButton {
        objectName: "propose"
        visible: panel.controller.placementTitle !== ""
        text: panel.controller.placementShown ? "Hide the placement" : "Propose placement…"
        toolTip: "The machine before and after, among the diagrams"
        onClicked: panel.placementWanted()
    }
    UiButton {
        objectName: "copyArguments"
        visible: panel.controller.launchArguments !== ""
        iconName: "copy"
        text: "Copy launch arguments"
        onClicked: panel.copyWanted(panel.controller.launchArguments)
    }
    FactList {
        facts: panel.controller.schedule.facts
    }
    InspectorText {
        text: panel.controller.schedule.verdict
        font.pixelSize: Theme.secondarySize
    }
    InspectorHead {
        visible: panel.controller.ready
        text: "The run"
    }
    FactList {
        facts: panel.controller.overview
    }
    UiButton {
        objectName: "machine"
        Layout.topMargin: Theme.spaceS
        visible: panel.controller.ready
        text: "Edit the machine…"
        toolTip: "The model of the GPUs, and which of them stand in front"
        onClicked: panel.machineWanted()
    }
    InspectorText {
        Layout.topMargin: Theme.spaceS
        text: panel.controller.notes
        font.pixelSize: Theme.secondarySize
    }
}
