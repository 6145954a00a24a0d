pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// The pages with the sections of the open one, or what the search has found.
UiList {
    id: list

    required property ManualController controller

    model: controller.entries
    currentIndex: controller.current
    highlightMoveDuration: 0
    cacheBuffer: 0 // a list that changes must not wait for entries that it no longer has
    Accessible.name: controller.headline
    Keys.onDownPressed: list.controller.step(1)
    Keys.onUpPressed: list.controller.step(-1)

    delegate: T.ItemDelegate {
        id: entry

        required property int index
        required property string title
        required property string detail
        required property int level
        required property string name
        readonly property bool current: ListView.isCurrentItem
        readonly property real indent: Theme.spaceM * entry.level
        readonly property real room: entry.availableWidth - entry.indent - Theme.spaceS

        width: list.width - Theme.spaceM
        implicitHeight: contentItem.implicitHeight + 2 * Theme.spaceXs
        topPadding: Theme.spaceXs
        focusPolicy: Qt.NoFocus
        Accessible.name: entry.name
        Accessible.description: entry.detail
        Accessible.onPressAction: entry.clicked()
        Accessible.selected: entry.current
        onClicked: list.controller.openEntry(entry.index)

        contentItem: Column {
            leftPadding: entry.indent

            UiText {
                width: entry.room
                text: entry.title
                textFormat: Text.StyledText
                wrapMode: Text.Wrap
                color: entry.level === 1 || entry.current ? Theme.text : Theme.textSecondary
                font.weight: entry.current ? Font.DemiBold : Font.Normal
            }
            UiNote {
                width: entry.room
                visible: entry.detail !== ""
                text: entry.detail
                textFormat: Text.StyledText
                wrapMode: Text.Wrap
            }
        }
        background: Rectangle {
            anchors.fill: parent
            anchors.leftMargin: Theme.spaceXs
            radius: Theme.radius
            color: entry.current ? Theme.raised : entry.hovered ? Theme.hovered : "transparent"

            UiFocusRing {
                control: entry
                visible: entry.current && list.activeFocus
            }
        }
    }
}
