import QtQuick
import Trainscope.App

// Around the selected kernel.
Rectangle {
    id: outline

    required property TimelineController controller
    required property real originY

    x: controller.spanX - Theme.hairline
    y: controller.spanY - originY - Theme.hairline
    width: controller.spanWidth + 2 * Theme.hairline
    height: controller.spanHeight + 2 * Theme.hairline
    visible: controller.spanVisible
    color: "transparent"
    border.color: Theme.text
    border.width: Theme.hairline * 2
}
