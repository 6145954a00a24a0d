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

    // A small text beside the cursor: on its right, near the right edge on its left.
    component CursorTag: UiRaised {
        required property TimelineController controller
        required property real plotRight
        property alias text: label.text
        property real distance: Theme.spaceS
        readonly property real after: controller.cursor.x + distance
        readonly property real before: controller.cursor.x - distance - width

        x: after + width <= plotRight ? after : Math.max(controller.navigation.plotX, before)
        width: label.width + Theme.spaceM
        height: label.height + Theme.spaceXs

        UiText {
            id: label

            anchors.centerIn: parent
            width: Math.min(implicitWidth, Theme.inspectorWidth)
            font.pixelSize: Theme.secondarySize
            wrapMode: Text.Wrap
        }
    }
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
