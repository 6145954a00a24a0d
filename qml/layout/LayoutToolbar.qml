pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// What the ranks are coloured by, and the playback; wrapped where the window is narrow.
SettingsBar {
    id: bar

    required property LayoutController controller

    name: qsTr("Layout")

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
