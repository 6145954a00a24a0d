import QtQuick
import Trainscope

// A name or a path that is not ours: shortened in its middle where there is no room, with the whole
// as its tool tip.
UiText {
    id: name

    elide: Text.ElideMiddle

    HoverHandler {
        id: hover
    }
    UiToolTip {
        wanted: hover.hovered && name.truncated
        text: name.text
    }
}
