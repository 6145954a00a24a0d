pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// One tab per place, dimmed where it has nothing to say; `folded` into a menu where there is no room.
Row {
    id: tabs

    required property Places places
    property bool folded: false
    // Width that all tabs take unfolded, whether they are folded or not.
    readonly property real openWidth: open.implicitWidth

    spacing: Theme.spaceXs
    Accessible.role: Accessible.PageTabList
    Accessible.name: "Places"

    Row {
        id: open

        visible: !tabs.folded
        spacing: tabs.spacing

        Repeater {
            model: tabs.places.titles
            delegate: UiTab {
                required property int index
                required property string modelData

                objectName: "place" + index
                text: modelData
                reason: tabs.places.reasons[index]
                shortcutText: KeyMap.hint("place" + index)
                checked: tabs.places.place === index
                onClicked: tabs.places.open(index)
            }
        }
    }
    UiButton {
        id: folder

        visible: tabs.folded
        menu: true
        quiet: true
        text: tabs.places.titles[tabs.places.place]
        toolTip: choices.visible ? "" : "Places"
        onClicked: choices.popup(folder, 0, folder.height)

        ViewMenu {
            id: choices

            places: tabs.places
        }
    }
}
