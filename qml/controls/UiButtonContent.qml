import QtQuick
import Trainscope
import Trainscope.App

// Icon, text and menu arrow of a button, centred; the text is cut where the button is narrow.
Item {
    id: content

    required property string text
    required property string iconName
    required property bool menu
    required property color ink
    readonly property real besides: (iconName !== "" ? Theme.iconSize + Theme.spaceS : 0) + (menu ? Theme.spaceM + Theme.spaceS : 0)

    implicitWidth: label.implicitWidth + besides
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
            id: label

            width: Math.min(implicitWidth, content.width - content.besides)
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
