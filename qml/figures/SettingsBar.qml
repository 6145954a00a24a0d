import QtQuick
import Trainscope
import Trainscope.App

// The tools of a view in a line, wrapped where the window is narrow.
Rectangle {
    id: bar

    required property string name
    default property alias tools: flow.data

    implicitHeight: flow.height + Theme.spaceM
    color: Theme.panel
    Accessible.role: Accessible.ToolBar
    Accessible.name: "%1: settings".arg(bar.name)

    Flow {
        id: flow

        x: Theme.spaceS
        y: Theme.spaceM / 2
        width: parent.width - 2 * Theme.spaceS
        spacing: Theme.spaceS
    }
    UiSeparator {
        anchors.bottom: parent.bottom
        width: parent.width
    }
}
