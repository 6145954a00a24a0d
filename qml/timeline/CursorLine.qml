import QtQuick
import Trainscope
import Trainscope.App

// The cursor line with its time, and the tip of the bar under the pointer, which lies beside that bar.
Item {
    id: cursor

    required property TimelineController controller
    required property real plotRight
    required property real plotBottom

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
        id: tip

        readonly property point pointer: cursor.controller.cursor.pointer
        readonly property point place: pointer && text !== "" ? cursor.controller.cursor.tipAt(width, height, cursor.controller.span.place) : Qt.point(0, 0)

        objectName: "tip"
        x: place.x
        y: place.y
        visible: text !== ""
        controller: cursor.controller
        plotRight: cursor.plotRight
        text: cursor.controller.cursor.tipText
        border.color: Theme.outline
    }
}
