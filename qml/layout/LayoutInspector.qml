pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// The selected rank, what its groups exchange, and what is to be known of the layout.
FocusScope {
    id: panel

    required property LayoutController controller
    signal copyWanted(string text)
    signal placementWanted

    implicitWidth: Theme.inspectorWidth
    Accessible.role: Accessible.Pane
    Accessible.name: qsTr("Inspector")

    Rectangle {
        anchors.fill: parent
        color: Theme.panel
    }
    UiSeparator {
        height: parent.height
    }
    Flickable {
        id: flick

        anchors.fill: parent
        contentHeight: column.height + 2 * Theme.spaceM
        boundsBehavior: Flickable.StopAtBounds
        clip: true
        activeFocusOnTab: true
        focus: true

        ColumnLayout {
            id: column

            x: Theme.spaceL
            y: Theme.spaceM
            width: flick.width - 2 * Theme.spaceL
            spacing: Theme.spaceXs

            UiText {
                Layout.fillWidth: true
                visible: panel.controller.rank < 0
                wrapMode: Text.Wrap
                elide: Text.ElideNone
                text: qsTr("Click a GPU for its place, its readings and what it exchanges; it is selected in every view.")
                color: Theme.textSecondary
            }
            FactList {
                facts: panel.controller.facts
            }
            UiButton {
                Layout.topMargin: Theme.spaceS
                visible: panel.controller.rank >= 0
                text: qsTr("Show on the timeline")
                shortcutText: qsTr("Enter")
                onClicked: panel.controller.openSelected()
            }
            RowLayout {
                Layout.topMargin: Theme.spaceS
                visible: panel.controller.placementText !== ""

                InspectorHead {
                    text: qsTr("Placement for the heat")
                }
                UiTag {
                    visible: panel.controller.placementTitle !== ""
                    text: qsTr("Estimate")
                }
            }
            UiText {
                Layout.fillWidth: true
                visible: text !== ""
                wrapMode: Text.Wrap
                elide: Text.ElideNone
                text: panel.controller.placementTitle
            }
            UiText {
                Layout.fillWidth: true
                visible: text !== ""
                wrapMode: Text.Wrap
                elide: Text.ElideNone
                text: panel.controller.placementText
                color: Theme.textSecondary
                font.pixelSize: Theme.secondarySize
            }
            FactList {
                facts: panel.controller.placement
            }
            UiButton {
                objectName: "propose"
                visible: panel.controller.placementTitle !== ""
                text: panel.controller.placementShown ? qsTr("Hide the placement") : qsTr("Propose placement…")
                toolTip: qsTr("The machine before and after, among the diagrams")
                onClicked: panel.placementWanted()
            }
            UiButton {
                objectName: "copyArguments"
                visible: panel.controller.placed
                iconName: "copy"
                text: qsTr("Copy launch arguments")
                onClicked: panel.copyWanted(panel.controller.launchArguments())
            }
            FactList {
                facts: panel.controller.schedule.facts
            }
            UiText {
                Layout.fillWidth: true
                visible: text !== ""
                wrapMode: Text.Wrap
                elide: Text.ElideNone
                text: panel.controller.schedule.verdict
                color: Theme.textSecondary
                font.pixelSize: Theme.secondarySize
            }
            InspectorHead {
                visible: panel.controller.ready
                text: qsTr("The run")
            }
            FactList {
                facts: panel.controller.overview
            }
            UiText {
                Layout.fillWidth: true
                Layout.topMargin: Theme.spaceS
                visible: text !== ""
                wrapMode: Text.Wrap
                elide: Text.ElideNone
                text: panel.controller.notes
                color: Theme.textSecondary
                font.pixelSize: Theme.secondarySize
            }
        }
    }
    UiScrollBar {
        anchors.right: parent.right
        height: parent.height
        orientation: Qt.Vertical
        size: flick.visibleArea.heightRatio
        position: flick.visibleArea.yPosition
        interactive: false
    }
    UiFocusRing {
        control: flick
        anchors.margins: 0
    }
}
