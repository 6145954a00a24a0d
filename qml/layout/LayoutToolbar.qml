pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// What the ranks are coloured by, and the playback; wrapped where the window is narrow.
Rectangle {
    id: bar

    required property LayoutController controller

    implicitHeight: flow.height + Theme.spaceM
    color: Theme.panel
    Accessible.role: Accessible.ToolBar
    Accessible.name: qsTr("Layout: settings")

    Flow {
        id: flow

        x: Theme.spaceS
        y: Theme.spaceM / 2
        width: parent.width - 2 * Theme.spaceS
        spacing: Theme.spaceS

        Repeater {
            model: bar.controller.settings
            delegate: FigureSetting {
                onChosen: choice => bar.controller.choose(key, choice)
            }
        }
        PlaybackBar {
            visible: bar.controller.moving && bar.controller.playback.available
            playback: bar.controller.playback
        }
    }
    UiSeparator {
        anchors.bottom: parent.bottom
        width: parent.width
    }
}
