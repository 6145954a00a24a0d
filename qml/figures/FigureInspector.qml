pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// What is selected in a figure, and what the figure left out.
FocusScope {
    id: panel

    required property DrawnView controller

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

            InspectorHead {
                text: panel.controller.selectedTitle !== "" ? panel.controller.selectedTitle : qsTr("Nothing is selected")
            }
            UiText {
                Layout.fillWidth: true
                visible: panel.controller.selectedTitle === ""
                wrapMode: Text.Wrap
                text: qsTr("Click a part of the figure for its numbers; double click it for its timeline.")
                color: Theme.textSecondary
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
            UiText {
                Layout.fillWidth: true
                visible: text !== ""
                wrapMode: Text.Wrap
                elide: Text.ElideNone
                text: panel.controller.title
            }
            UiText {
                Layout.fillWidth: true
                visible: text !== ""
                wrapMode: Text.Wrap
                elide: Text.ElideNone
                text: panel.controller.caption
                color: Theme.textSecondary
            }
            UiText {
                Layout.fillWidth: true
                visible: text !== ""
                wrapMode: Text.Wrap
                elide: Text.ElideNone
                text: panel.controller.notes
                color: Theme.textSecondary
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
