import QtQuick
import Trainscope.App

// Around the selected kernel.
Rectangle {
    id: outline

    required property TimelineController controller
    required property real originY

    x: controller.span.place.x - Theme.hairline
    y: controller.span.place.y - originY - Theme.hairline
    width: controller.span.place.width + 2 * Theme.hairline
    height: controller.span.place.height + 2 * Theme.hairline
    visible: controller.span.visible
    color: "transparent"
    border.color: Theme.text
    border.width: Theme.hairline * 2
}
