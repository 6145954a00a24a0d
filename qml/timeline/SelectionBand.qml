import QtQuick
import Trainscope
import Trainscope.App

// The selected stretch of time.
Rectangle {
    id: band

    required property TimelineController controller

    x: controller.selection.x
    y: label.height
    width: controller.selection.width
    height: parent ? parent.height - y : 0
    visible: controller.selection.visible
    color: Theme.selection
    Accessible.role: Accessible.Indicator
    Accessible.name: controller.selection.description

    Rectangle {
        width: Theme.hairline
        height: parent.height
        color: Theme.accent
    }
    Rectangle {
        anchors.right: parent.right
        width: Theme.hairline
        height: parent.height
        color: Theme.accent
    }
    Rectangle {
        id: label

        anchors.horizontalCenter: parent.horizontalCenter
        y: -height
        width: text.implicitWidth + Theme.spaceM
        height: text.implicitHeight + Theme.spaceXs
        radius: Theme.radius
        color: Theme.accent

        UiText {
            id: text

            anchors.centerIn: parent
            text: band.controller.selection.text
            color: Theme.onAccent
            font.pixelSize: Theme.secondarySize
        }
    }
}
