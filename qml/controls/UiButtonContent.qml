import QtQuick
import Trainscope
import Trainscope.App

// Icon, text and menu arrow of a button, centred.
Item {
    id: content

    required property string text
    required property string iconName
    required property bool menu
    required property color ink

    implicitWidth: row.implicitWidth
    implicitHeight: row.implicitHeight

    Row {
        id: row

        anchors.centerIn: parent
        spacing: Theme.spaceS

        Icon {
            visible: content.iconName !== ""
            name: content.iconName
            color: content.ink
            anchors.verticalCenter: parent.verticalCenter
        }
        UiText {
            text: content.text
            color: content.ink
            anchors.verticalCenter: parent.verticalCenter
        }
        Icon {
            visible: content.menu
            name: "chevronDown"
            color: content.ink
            width: Theme.spaceM
            height: Theme.spaceM
            anchors.verticalCenter: parent.verticalCenter
        }
    }
}
