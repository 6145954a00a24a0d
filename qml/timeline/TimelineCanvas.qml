pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// The lanes with everything that lies over them.
FocusScope {
    id: canvas

    required property TimelineController controller
    signal deriveWanted(int lane)
    signal changeWanted(int lane)
    readonly property real plotRight: controller.navigation.plotX + controller.navigation.plotWidth

    activeFocusOnTab: true
    clip: true
    Accessible.role: Accessible.Chart
    Accessible.name: "Timeline"
    Accessible.description: controller.description
    Accessible.focusable: true

    TimelineItem {
        id: scene

        anchors.fill: parent
        controller: canvas.controller
        focus: true

        PinchHandler {
            target: null
            onActiveChanged: {
                if (active)
                    canvas.controller.navigation.beginPinch(centroid.position.x);
            }
            onActiveScaleChanged: canvas.controller.navigation.pinch(activeScale, centroid.position.x)
        }
    }
    SelectionBand {
        controller: canvas.controller
    }
    Item {
        id: lanes

        y: canvas.controller.lanes.top
        width: parent.width
        height: parent.height - y
        clip: true
        visible: canvas.controller.ready

        // Around the selected kernel.
        FigureOutline {
            readonly property rect span: canvas.controller.span.place

            place: Qt.rect(span.x, span.y - lanes.y, span.width, span.height)
            visible: canvas.controller.span.visible
            frame: Theme.text
            border.width: 2 * Theme.hairline
        }
        Repeater {
            model: canvas.controller.lanes.model
            delegate: LaneHead {
                id: head

                controller: canvas.controller
                originY: lanes.y
                onMenuWanted: anchor => laneMenu.openFor(head, anchor)
                keyboard: canvas.activeFocus
                menuAnchor: laneMenu.opener
            }
        }
        Repeater {
            model: canvas.controller.lanes.model
            delegate: ReadoutTag {
                controller: canvas.controller
                originY: lanes.y
            }
        }
    }
    Repeater {
        model: canvas.controller.marks
        delegate: MarkFlag {
            id: flag

            controller: canvas.controller
            height: canvas.height
            onMenuWanted: markMenu.openFor(flag)
            onRenameWanted: markRename.openFor(flag)
        }
    }
    MarkMenu {
        id: markMenu

        controller: canvas.controller
        onRenameWanted: mark => markRename.openFor(mark)
    }
    MarkRename {
        id: markRename

        controller: canvas.controller
    }
    CursorLine {
        objectName: "cursorLine"
        controller: canvas.controller
        plotRight: canvas.plotRight
        plotBottom: canvas.height
    }
    LaneMenu {
        id: laneMenu

        controller: canvas.controller
        onDeriveWanted: lane => canvas.deriveWanted(lane)
        onChangeWanted: lane => canvas.changeWanted(lane)
    }
    CaptureMenu {
        id: captureMenu

        controller: canvas.controller
    }
    Connections {
        target: canvas.controller

        function onCaptureMenuWanted() {
            captureMenu.popup();
        }
    }
    UiScrollBar {
        anchors.right: parent.right
        y: canvas.controller.lanes.top
        height: parent.height - y
        orientation: Qt.Vertical
        size: canvas.controller.lanes.scrollSize
        position: canvas.controller.lanes.scrollPosition
        onPositionChanged: {
            if (pressed)
                canvas.controller.lanes.scrollPosition = position;
        }
    }
    TimelineState {
        anchors.fill: parent
        controller: canvas.controller
    }
    UiFocusRing {
        control: canvas
        anchors.margins: 0
        visible: scene.activeFocus
        opacity: 0.5
    }
}
