import QtQuick
import Trainscope
import Trainscope.App

// A small text beside the cursor: on its right, near the right edge on its left.
Rectangle {
    id: tag

    required property TimelineController controller
    required property real plotRight
    property alias text: label.text
    property real distance: Theme.spaceS
    readonly property real after: controller.cursorX + distance
    readonly property real before: controller.cursorX - distance - width

    x: after + width <= plotRight ? after : Math.max(controller.plotX, before)
    width: label.width + Theme.spaceM
    height: label.height + Theme.spaceXs
    radius: Theme.radius
    color: Theme.raised
    border.color: Theme.line
    border.width: Theme.hairline

    UiText {
        id: label

        anchors.centerIn: parent
        width: Math.min(implicitWidth, Theme.inspectorWidth)
        font.pixelSize: Theme.secondarySize
        wrapMode: Text.Wrap
    }
}
