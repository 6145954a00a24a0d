import QtQuick
import Trainscope
import Trainscope.App

// One part of the layout with its heading; marks lie above it and repaint nothing of it.
Item {
    id: diagram

    required property LayoutController controller
    required property int part
    property real room: 0
    property string heading: ""
    property string text: ""
    property real reserved: 0 // at the right of the heading, for a control
    property SettingListModel settings: null // below the heading
    signal chosen(string key, int choice)
    readonly property real headHeight: head.visible ? head.height + Theme.spaceXs : 0

    implicitHeight: headHeight + picture.height

    Column {
        id: head

        width: parent.width
        visible: diagram.heading !== ""

        UiText {
            width: parent.width - diagram.reserved
            text: diagram.heading
            font.weight: Font.DemiBold
            Accessible.role: Accessible.Heading
            Accessible.name: text
        }
        UiNote {
            width: parent.width - diagram.reserved
            visible: text !== ""
            text: diagram.text
            wrapMode: Text.WordWrap
        }
        Flow {
            width: parent.width
            visible: diagram.settings !== null
            spacing: Theme.spaceS

            Repeater {
                model: diagram.settings
                delegate: FigureSetting {
                    onChosen: choice => diagram.chosen(key, choice)
                }
            }
        }
    }
    LayoutItem {
        id: picture

        y: diagram.headHeight
        width: parent.width
        height: implicitHeight
        controller: diagram.controller
        part: diagram.part
        room: Math.max(0, diagram.room - diagram.headHeight)
    }
    LayoutItem {
        y: diagram.headHeight
        width: parent.width
        height: picture.height
        controller: diagram.controller
        part: diagram.part
        marks: true
    }
    UiTip {
        readonly property rect place: diagram.controller.hover.place

        // Beside the cell, towards the middle of the part.
        y: diagram.headHeight + (place.y > picture.height / 2 ? place.y - height - Theme.spaceXs : place.y + place.height + Theme.spaceXs)
        x: Math.max(0, Math.min(place.x, diagram.width - width))
        visible: diagram.controller.hover.part === diagram.part
        title: diagram.controller.hover.title
        text: diagram.controller.hover.text
    }
}
