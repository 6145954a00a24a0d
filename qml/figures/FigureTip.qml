import QtQuick
import Trainscope
import Trainscope.App

// What the pointer is over, beside it and inside the view.
UiTip {
    id: tip

    required property DrawnView controller
    required property real scroll
    required property size room
    readonly property rect place: controller.hovered
    readonly property real below: place.y + place.height - scroll + Theme.spaceS

    x: Math.max(Theme.spaceXs, Math.min(place.x, room.width - width - Theme.spaceM))
    y: below + height < room.height ? below : Math.max(Theme.spaceXs, place.y - scroll - height - Theme.spaceS)
    visible: title !== ""
    title: controller.hoverTitle
    text: controller.hoverText
}
