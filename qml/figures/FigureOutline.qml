import QtQuick
import Trainscope.App

// A frame around a part of the figure, with room for what lies in it.
Rectangle {
    id: outline

    required property rect place
    property color frame: Theme.accent

    x: place.x - Theme.hairline
    y: place.y - Theme.hairline
    width: place.width + 2 * Theme.hairline
    height: place.height + 2 * Theme.hairline
    visible: place.width > 0 || place.height > 0
    color: "transparent"
    border.color: outline.frame
    border.width: Theme.hairline
}
