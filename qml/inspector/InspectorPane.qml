import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// The frame of an inspector: its parts under each other, scrolled by wheel and arrows.
FocusScope {
    id: pane

    default property alias content: column.data

    implicitWidth: Theme.inspectorWidth
    Accessible.role: Accessible.Pane
    Accessible.name: "Inspector"

    Rectangle {
        anchors.fill: parent
        color: Theme.panel
    }
    UiSeparator {
        height: parent.height
    }
    Flickable {
        id: flick

        anchors.fill: parent
        contentHeight: column.height + 2 * Theme.spaceM
        boundsBehavior: Flickable.StopAtBounds
        UiScrollBar.vertical: UiScrollBar {
            interactive: false
        }
        clip: true
        activeFocusOnTab: true
        focus: true
        Keys.onUpPressed: flick.flick(0, Theme.inspectorWidth)
        Keys.onDownPressed: flick.flick(0, -Theme.inspectorWidth)

        UiFollowFocus {
            scrolled: flick
        }
        ColumnLayout {
            id: column

            x: Theme.spaceL
            y: Theme.spaceM
            width: flick.width - 2 * Theme.spaceL
            spacing: Theme.spaceXs
        }
    }
    UiFocusRing {
        control: flick
        anchors.margins: 0
    }
}
