import QtQuick
import Trainscope

// A name or a path that is not ours: shortened where there is no room, with the whole as its tool tip.
// Among others of a list it has `full` and `brief`, which tells it from them.
UiText {
    id: name

    property string full: ""
    property string brief: ""
    property bool tipped: true

    text: metrics.advanceWidth <= width ? full : brief
    elide: Text.ElideMiddle

    TextMetrics {
        id: metrics

        font: name.font
        text: name.full
    }

    HoverHandler {
        id: hover
    }
    UiToolTip {
        wanted: name.tipped && hover.hovered && (name.truncated || (name.full !== "" && name.text !== name.full))
        text: name.full !== "" ? name.full : name.text
    }
}
