pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// The names that the search found, with their hits: above the lanes, so that it covers nothing.
FocusScope {
    id: hits

    required property TimelineController controller
    readonly property TimelineSearch search: controller.search
    readonly property int rowHeight: Theme.hitTarget
    // The keyboard goes back to the lanes.
    signal done

    function focusList() {
        list.forceActiveFocus(Qt.TabFocusReason);
    }

    objectName: "searchHits"
    visible: search.text !== "" && search.rows.count > 0
    implicitHeight: search.text !== "" && search.rows.count > 0 ? list.height + note.height + Theme.spaceXs : 0
    Accessible.role: Accessible.Pane
    Accessible.name: "Hits of the search"

    Rectangle {
        anchors.fill: parent
        color: Theme.panel
    }
    ListView {
        id: list

        objectName: "searchList"
        width: parent.width
        height: Math.min(count, 5) * hits.rowHeight
        clip: true
        focus: true
        activeFocusOnTab: true
        boundsBehavior: Flickable.StopAtBounds
        model: hits.search.rows
        currentIndex: -1
        UiScrollBar.vertical: UiScrollBar {}
        Accessible.role: Accessible.List
        Accessible.name: "Names found"
        keyNavigationEnabled: true
        onActiveFocusChanged: {
            if (activeFocus && currentIndex < 0)
                currentIndex = 0;
        }
        Keys.onReturnPressed: hits.search.choose(currentIndex)
        Keys.onEnterPressed: hits.search.choose(currentIndex)
        Keys.onSpacePressed: hits.search.choose(currentIndex)
        Keys.onEscapePressed: {
            hits.search.clear();
            hits.done();
        }

        delegate: Rectangle {
            id: row

            required property int index
            required property string name
            required property string full
            required property string detail
            required property bool chosen
            readonly property bool current: ListView.isCurrentItem && list.activeFocus

            objectName: "hit" + index
            width: list.width
            height: hits.rowHeight
            color: chosen ? Theme.raised : pointer.hovered ? Theme.hovered : "transparent"
            border.width: current ? 2 * Theme.hairline : 0
            border.color: Theme.accent
            Accessible.role: Accessible.ListItem
            Accessible.name: "%1, %2".arg(full).arg(detail)
            Accessible.selected: chosen
            Accessible.onPressAction: hits.search.choose(row.index)

            UiText {
                anchors.left: parent.left
                anchors.right: figures.left
                anchors.leftMargin: Theme.spaceM
                anchors.rightMargin: Theme.spaceM
                anchors.verticalCenter: parent.verticalCenter
                text: row.name
                font.weight: row.chosen ? Font.Medium : Font.Normal
            }
            UiText {
                id: figures

                anchors.right: parent.right
                anchors.rightMargin: Theme.spaceL
                anchors.verticalCenter: parent.verticalCenter
                text: row.detail
                color: Theme.textSecondary
                font.pixelSize: Theme.secondarySize
            }
            UiToolTip {
                wanted: pointer.hovered
                text: row.full
                delay: Theme.toolTipDelay * 2
            }
            HoverHandler {
                id: pointer
            }
            TapHandler {
                onTapped: {
                    list.currentIndex = row.index;
                    hits.search.choose(row.index);
                }
            }
        }
    }
    UiNote {
        id: note

        anchors.top: list.bottom
        x: Theme.spaceM
        height: text === "" ? 0 : implicitHeight
        text: hits.search.moreText
    }
    UiSeparator {
        anchors.bottom: parent.bottom
        width: parent.width
    }
}
