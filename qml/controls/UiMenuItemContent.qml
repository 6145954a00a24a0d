import QtQuick
import Trainscope
import Trainscope.App

// Mark or icon, text, and the keys at the right end of a menu item.
Item {
    id: content

    required property string text
    required property string iconName
    required property string shortcutText

    implicitWidth: Theme.spaceXl + title.implicitWidth + Theme.spaceXl + keys.implicitWidth + Theme.spaceXl

    Icon {
        x: Theme.spaceS
        anchors.verticalCenter: parent.verticalCenter
        width: Theme.iconSize - Theme.hairline * 2
        height: width
        name: content.iconName
        color: Theme.text
    }
    UiText {
        id: title

        anchors.left: parent.left
        anchors.leftMargin: Theme.spaceXl + Theme.spaceXs
        anchors.right: keys.left
        anchors.rightMargin: Theme.spaceS
        anchors.verticalCenter: parent.verticalCenter
        text: content.text
    }
    UiNote {
        id: keys

        anchors.right: parent.right
        anchors.rightMargin: Theme.spaceL
        anchors.verticalCenter: parent.verticalCenter
        text: content.shortcutText
    }
}
