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
    Rectangle {
        x: Math.max(cursor.controller.plotX, Math.min(cursor.controller.cursorX + Theme.spaceXs, cursor.plotRight - width))
        width: time.implicitWidth + Theme.spaceM
        height: time.implicitHeight + Theme.spaceXs
        radius: Theme.radius
        color: Theme.raised
        border.color: Theme.line
        border.width: Theme.hairline

        UiText {
            id: time

            anchors.centerIn: parent
            text: cursor.controller.cursorText
            font.pixelSize: Theme.secondarySize
            Accessible.role: Accessible.StaticText
            Accessible.name: qsTr("Cursor at %1").arg(text)
        }
    }
    Rectangle {
        x: Math.max(cursor.controller.plotX, Math.min(cursor.controller.cursorX + Theme.spaceM, cursor.plotRight - width))
        y: Math.min(cursor.controller.hoverY + Theme.spaceXl, cursor.plotBottom - height - Theme.spaceXs)
        width: hover.width + Theme.spaceM
        height: hover.implicitHeight + Theme.spaceS
        visible: hover.text !== ""
        radius: Theme.radius
        color: Theme.raised
        border.color: Theme.outline
        border.width: Theme.hairline

        UiText {
            id: hover

            anchors.centerIn: parent
            width: Math.min(implicitWidth, Theme.inspectorWidth)
            text: cursor.controller.hoverText
            font.pixelSize: Theme.secondarySize
            wrapMode: Text.Wrap
        }
    }
}
