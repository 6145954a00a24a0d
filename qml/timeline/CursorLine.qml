import QtQuick
import Trainscope
import Trainscope.App

// The cursor line with its time, and what lies under the pointer.
Item {
    id: cursor

    required property TimelineController controller
    required property real plotRight
    required property real plotBottom

    // True where the readout at the pointer lies beside a part of that height.
    function covers(top: real, height: real): bool {
        return hover.visible && top < hover.y + hover.height && hover.y < top + height;
    }

    visible: controller.cursor.visible

    Rectangle {
        x: cursor.controller.cursor.x
        width: Theme.hairline
        height: cursor.plotBottom
        color: Theme.text
    }
    CursorTag {
        controller: cursor.controller
        plotRight: cursor.plotRight
        distance: Theme.spaceXs
        text: cursor.controller.cursor.text
        Accessible.role: Accessible.StaticText
        Accessible.name: "Cursor at %1".arg(text)
    }
    CursorTag {
        id: hover

        y: Math.min(cursor.controller.cursor.hoverY + Theme.spaceXl, cursor.plotBottom - height - Theme.spaceXs)
        visible: text !== ""
        controller: cursor.controller
        plotRight: cursor.plotRight
        distance: Theme.spaceM
        text: cursor.controller.cursor.hoverText
        border.color: Theme.outline
    }
}
