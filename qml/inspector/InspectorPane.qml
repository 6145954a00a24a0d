import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// The frame of an inspector or a form beside a view: its parts under each other, scrolled by wheel and arrows.
FocusScope {
    id: pane

    default property alias content: column.data
    property bool leading: false // stands before the view

    implicitWidth: Theme.inspectorWidth
    Accessible.role: Accessible.Pane
    Accessible.name: "Inspector"

    Rectangle {
        anchors.fill: parent
        color: Theme.panel
    }
    UiSeparator {
        x: pane.leading ? pane.width - width : 0
        height: parent.height
    }
    Flickable {
        id: flick

        anchors.fill: parent
        contentHeight: column.height + 2 * Theme.spaceM
        boundsBehavior: Flickable.StopAtBounds
        UiScrollBar.vertical: UiScrollBar {
            interactive: pane.leading
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
