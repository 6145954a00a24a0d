pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// One tab per view; `folded` into a menu where there is no room for them.
Row {
    id: tabs

    required property Views views
    property bool folded: false
    // What all tabs take, folded or not.
    readonly property real openWidth: open.implicitWidth

    spacing: Theme.spaceXs
    Accessible.role: Accessible.PageTabList
    Accessible.name: qsTr("Views")

    Row {
        id: open

        visible: !tabs.folded
        spacing: tabs.spacing

        Repeater {
            model: tabs.views.titles
            delegate: UiTab {
                required property int index
                required property string modelData

                objectName: "view" + index
                text: modelData
                shortcutText: KeyMap.hint("view" + index)
                checked: tabs.views.view === index
                onClicked: tabs.views.view = index
            }
        }
    }
    UiButton {
        id: folder

        visible: tabs.folded
        menu: true
        quiet: true
        text: tabs.views.title
        toolTip: choices.visible ? "" : qsTr("Views")
        onClicked: choices.popup(folder, 0, folder.height)

        ViewMenu {
            id: choices

            views: tabs.views
        }
    }
}
