import QtQuick
import Trainscope
import Trainscope.App

// The handles of one lane, over its painted name: drag to move, menu, lower edge to resize.
Item {
    id: head

    required property TimelineController controller
    required property real originY
    required property bool keyboard
    required property Item menuAnchor
    required property int index
    required property string title
    required property string summary
    required property real laneY
    required property real laneHeight
    required property int laneStyle
    required property bool hasStyles
    required property string toggleText
    required property bool canSplit
    required property bool canMerge
    required property bool hasSpectrum
    required property bool isFixed
    required property bool derived
    signal menuWanted(Item anchor)
    readonly property bool current: controller.lanes.current === index

    y: laneY - originY
    width: controller.lanes.nameWidth
    height: laneHeight
    z: mover.active ? 1 : 0
    Accessible.role: Accessible.Graphic
    Accessible.name: title
    Accessible.description: summary

    function openMenu() {
        head.controller.lanes.current = head.index;
        head.menuWanted(more);
    }

    Rectangle {
        width: Theme.hairline * 3
        height: parent.height
        visible: head.current
        color: Theme.accent
    }
    HoverHandler {
        id: pointer
    }
    TapHandler {
        acceptedButtons: Qt.LeftButton
        onTapped: {
            head.controller.lanes.current = head.index;
            head.controller.lanes.toggleRows(head.index);
        }
    }
    UiToolTip {
        text: head.toggleText
        wanted: text !== "" && pointer.hovered && !mover.active
    }
    TapHandler {
        acceptedButtons: Qt.RightButton
        onTapped: head.openMenu()
    }
    UiRaised {
        anchors.right: parent.right
        anchors.rightMargin: Theme.spaceXs
        anchors.bottom: parent.bottom
        anchors.bottomMargin: Theme.spaceXs
        width: handles.width
        height: handles.height
        opacity: pointer.hovered || mover.active || more.menuOpen || more.visualFocus || (head.keyboard && head.current && !head.controller.cursor.pointing) ? 1 : 0

        Row {
            id: handles

            Item {
                id: grip

                width: Theme.hitTarget
                height: Theme.hitTarget

                Icon {
                    anchors.centerIn: parent
                    name: "grip"
                    color: Theme.textSecondary
                }
                HoverHandler {
                    cursorShape: Qt.OpenHandCursor
                }
                DragHandler {
                    id: mover

                    property real dropY: 0

                    target: null
                    cursorShape: Qt.ClosedHandCursor
                    onActiveTranslationChanged: {
                        if (active)
                            dropY = centroid.scenePosition.y - head.parent.mapToItem(null, 0, 0).y + head.originY;
                    }
                    onActiveChanged: {
                        if (!active)
                            head.controller.lanes.move(head.index, head.controller.lanes.at(dropY));
                    }
                }
            }
            UiIconButton {
                id: more

                width: Theme.hitTarget
                height: Theme.hitTarget
                iconName: "more"
                text: "Lane %1: style, order, size, remove".arg(head.title)
                shortcutText: "Alt+↑ Alt+↓"
                menuOpen: head.menuAnchor === more
                onClicked: head.openMenu()
                onActiveFocusChanged: {
                    if (activeFocus)
                        head.controller.lanes.current = head.index;
                }
            }
        }
    }
    Rectangle {
        y: mover.dropY - head.laneY
        width: parent.width
        height: Theme.hairline * 2
        visible: mover.active
        color: Theme.accent
    }
    Item {
        anchors.bottom: parent.bottom
        anchors.bottomMargin: -Theme.spaceXs
        width: parent.width
        height: Theme.spaceS
        z: 1

        HoverHandler {
            cursorShape: Qt.SizeVerCursor
        }
        DragHandler {
            target: null
            xAxis.enabled: false
            // The lanes above give or take room as well: the edge follows the pointer, not the way it went.
            onActiveTranslationChanged: {
                if (active)
                    head.controller.lanes.resize(head.index, head.mapFromItem(null, 0, centroid.scenePosition.y).y);
            }
        }
    }
}
