import QtQuick
import Trainscope
import Trainscope.App

// Everything at once, with the window as a brush.
Rectangle {
    id: minimap

    required property TimelineController controller

    implicitHeight: Theme.topBarHeight + Theme.spaceXl
    color: Theme.panel
    activeFocusOnTab: true
    Accessible.role: Accessible.ScrollBar
    Accessible.name: "Minimap"
    Accessible.description: controller.navigation.windowText
    Accessible.focusable: true

    UiSeparator {
        width: parent.width
    }
    MinimapItem {
        id: profile

        x: minimap.controller.navigation.plotX
        y: Theme.spaceS
        width: minimap.controller.navigation.plotWidth
        height: parent.height - y - begin.height - Theme.spaceXs
        controller: minimap.controller
    }
    Rectangle {
        x: profile.x + minimap.controller.navigation.brushBegin * profile.width
        y: profile.y
        width: Math.max(Theme.hairline * 2, (minimap.controller.navigation.brushEnd - minimap.controller.navigation.brushBegin) * profile.width)
        height: profile.height
        color: Theme.selection
        border.color: Theme.accent
        border.width: Theme.hairline
    }
    UiNote {
        x: Theme.spaceM
        anchors.verticalCenter: profile.verticalCenter
        width: minimap.controller.navigation.plotX - 2 * Theme.spaceM
        text: profile.note === "" ? "Whole run" : profile.note
        maximumLineCount: 2
        wrapMode: Text.Wrap
    }
    UiText {
        id: begin

        anchors.left: profile.left
        anchors.top: profile.bottom
        text: minimap.controller.navigation.limitsBeginText
        color: Theme.textSecondary
        font.pixelSize: Theme.smallSize
    }
    UiText {
        anchors.right: profile.right
        anchors.top: profile.bottom
        text: minimap.controller.navigation.limitsEndText
        color: Theme.textSecondary
        font.pixelSize: Theme.smallSize
    }
    UiFocusRing {
        control: minimap
        anchors.margins: 0
    }
}
