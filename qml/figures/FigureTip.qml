import QtQuick
import Trainscope
import Trainscope.App

// What the pointer is over, beside it and inside the view.
Rectangle {
    id: tip

    required property DrawnView controller
    required property real scroll
    required property size room
    readonly property rect place: controller.hovered
    readonly property real below: place.y + place.height - scroll + Theme.spaceS

    x: Math.max(Theme.spaceXs, Math.min(place.x, room.width - width - Theme.spaceM))
    y: below + height < room.height ? below : Math.max(Theme.spaceXs, place.y - scroll - height - Theme.spaceS)
    width: column.width + 2 * Theme.spaceS
    height: column.height + 2 * Theme.spaceXs
    visible: controller.hoverTitle !== ""
    color: Theme.raised
    border.color: Theme.line
    radius: Theme.radius

    Column {
        id: column

        x: Theme.spaceS
        y: Theme.spaceXs

        UiText {
            text: tip.controller.hoverTitle
            font.weight: Font.Medium
            font.pixelSize: Theme.secondarySize
        }
        UiText {
            text: tip.controller.hoverText
            color: Theme.textSecondary
            font.pixelSize: Theme.secondarySize
        }
    }
}
