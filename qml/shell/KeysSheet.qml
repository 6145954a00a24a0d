pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// All keys, by part of the window.
UiSheet {
    id: sheet

    title: "Keys"
    preferredWidth: Theme.sheetWidth * 0.7
    preferredHeight: Theme.sheetWidth * 0.7

    UiList {
        id: list

        objectName: "keysList"
        anchors.fill: parent
        anchors.leftMargin: Theme.spaceL
        anchors.rightMargin: Theme.spaceXs
        focus: true
        model: KeyMap
        keyNavigationEnabled: true
        Accessible.name: sheet.title
        delegate: Item {
            id: line

            required property string group
            required property string keys
            required property string action

            width: list.width - Theme.spaceL
            height: head.height + Theme.controlHeight
            Accessible.role: Accessible.ListItem
            Accessible.name: "%1: %2".arg(line.action).arg(line.keys)

            UiSectionHeader {
                id: head

                height: visible ? Theme.controlHeight + Theme.spaceM : 0
                visible: line.group !== ""
                verticalAlignment: Text.AlignBottom
                bottomPadding: Theme.spaceXs
                text: line.group
            }
            UiText {
                anchors.left: parent.left
                anchors.right: keyText.left
                anchors.rightMargin: Theme.spaceM
                anchors.verticalCenter: keyText.verticalCenter
                text: line.action
            }
            UiText {
                id: keyText

                anchors.right: parent.right
                anchors.bottom: parent.bottom
                height: Theme.controlHeight
                verticalAlignment: Text.AlignVCenter
                text: line.keys
                color: Theme.textSecondary
                font.weight: Font.Medium
            }
        }
    }
}
