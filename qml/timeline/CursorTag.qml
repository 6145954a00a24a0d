import QtQuick
import Trainscope
import Trainscope.App

// A small text beside the cursor: on its right, near the right edge on its left.
UiRaised {
    id: tag

    required property TimelineController controller
    required property real plotRight
    property alias text: label.text
    property real distance: Theme.spaceS
    readonly property real after: controller.cursor.x + distance
    readonly property real before: controller.cursor.x - distance - width

    x: after + width <= plotRight ? after : Math.max(controller.navigation.plotX, before)
    width: label.width + Theme.spaceM
    height: label.height + Theme.spaceXs

    UiText {
        id: label

        anchors.centerIn: parent
        width: Math.min(implicitWidth, Theme.inspectorWidth)
        font.pixelSize: Theme.secondarySize
        wrapMode: Text.Wrap
    }
}
