import QtQuick
import Trainscope
import Trainscope.App

// The cursor line with its time, and what lies under the pointer.
Item {
    id: cursor

    required property TimelineController controller
    required property real plotRight
    required property real plotBottom

    visible: controller.cursorVisible

    Rectangle {
        x: cursor.controller.cursorX
        width: Theme.hairline
        height: cursor.plotBottom
        color: Theme.text
    }
    CursorTag {
        controller: cursor.controller
        plotRight: cursor.plotRight
        distance: Theme.spaceXs
        text: cursor.controller.cursorText
        Accessible.role: Accessible.StaticText
        Accessible.name: qsTr("Cursor at %1").arg(text)
    }
    CursorTag {
        y: Math.min(cursor.controller.hoverY + Theme.spaceXl, cursor.plotBottom - height - Theme.spaceXs)
        visible: text !== ""
        controller: cursor.controller
        plotRight: cursor.plotRight
        distance: Theme.spaceM
        text: cursor.controller.hoverText
        border.color: Theme.outline
    }
}
