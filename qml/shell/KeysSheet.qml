pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// All keys, by part of the window.
UiSheet {
    id: sheet

    title: qsTr("Keys")
    preferredWidth: Theme.sheetWidth * 0.7
    preferredHeight: Theme.sheetWidth * 0.7

    ListView {
        id: list

        anchors.fill: parent
        anchors.leftMargin: Theme.spaceL
        anchors.rightMargin: Theme.spaceXs
        clip: true
        focus: true
        boundsBehavior: Flickable.StopAtBounds
        model: KeyMap
        activeFocusOnTab: true
        keyNavigationEnabled: true
        Accessible.role: Accessible.List
        Accessible.name: sheet.title
        UiScrollBar.vertical: UiScrollBar {}
        section.property: "group"
        section.delegate: Item {
            id: head

            required property string section

            width: list.width
            height: Theme.controlHeight + Theme.spaceM

            UiSectionHeader {
                anchors.bottom: parent.bottom
                anchors.bottomMargin: Theme.spaceXs
                text: head.section
            }
        }
        delegate: Item {
            id: line

            required property string keys
            required property string action

            width: list.width - Theme.spaceL
            height: Theme.controlHeight
            Accessible.role: Accessible.ListItem
            Accessible.name: qsTr("%1: %2").arg(line.action).arg(line.keys)

            UiText {
                anchors.left: parent.left
                anchors.right: keyText.left
                anchors.verticalCenter: parent.verticalCenter
                text: line.action
            }
            UiText {
                id: keyText

                anchors.right: parent.right
                anchors.verticalCenter: parent.verticalCenter
                text: line.keys
                color: Theme.textSecondary
                font.weight: Font.Medium
            }
        }
    }
}
