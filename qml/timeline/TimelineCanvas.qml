pragma ComponentBehavior: Bound

import QtQml.Models
import QtQuick
import QtQuick.Templates as T
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
            onMenuWanted: markMenu.openFor(flag)
            onRenameWanted: markRename.openFor(flag)
        }
    }
    UiMenu {
        id: markMenu

        property MarkFlag flag: null

        function openFor(mark: MarkFlag) {
            flag = mark;
            popup();
        }

        UiMenuItem {
            text: "Rename"
            shortcutText: "F2"
            onTriggered: markRename.openFor(markMenu.flag)
        }
        UiMenuItem {
            text: "Remove"
            shortcutText: "Delete"
            onTriggered: canvas.controller.marks.remove(markMenu.flag.index)
        }
    }
    // A small field for a mark's label. Enter takes it, Escape leaves it.
    T.Popup {
        id: markRename

        property MarkFlag flag: null

        parent: flag
        y: parent ? parent.height : 0
        padding: Theme.spaceS
        focus: true
        implicitWidth: contentItem.implicitWidth + leftPadding + rightPadding
        implicitHeight: contentItem.implicitHeight + topPadding + bottomPadding

        function openFor(mark: MarkFlag) {
            flag = mark;
            open();
        }

        UiPopupHome {
            guest: markRename
        }

        contentItem: UiTextField {
            focus: true
            onVisibleChanged: {
                if (visible) {
                    text = markRename.flag.markLabel;
                    selectAll();
                }
            }
            label: "Label of the mark"
            onAccepted: {
                canvas.controller.marks.rename(markRename.flag.index, text);
                markRename.close();
            }
        }
        background: UiRaised {}
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
    // With what a capture can be compared.
    UiMenu {
        id: captureMenu

        readonly property var others: canvas.controller.otherCaptures

        title: "Capture %1".arg(canvas.controller.captureName)

        UiMenuItem {
            text: captureMenu.others.length > 0 ? "Compare “%1” with".arg(canvas.controller.captureName) : "No other capture to compare with"
            enabled: false
        }
        UiMenuItem {
            text: "All %1 other captures".arg(captureMenu.others.length)
            visible: captureMenu.others.length > 1
            height: visible ? implicitHeight : 0
            onTriggered: canvas.controller.compareCapture(-1)
        }
        Instantiator {
            model: captureMenu.others
            delegate: UiMenuItem {
                required property int index
                required property string modelData

                label: modelData
                onTriggered: canvas.controller.compareCapture(index)
            }
            onObjectAdded: (index, item) => captureMenu.insertItem(index + 1, item as UiMenuItem)
            onObjectRemoved: (index, item) => captureMenu.removeItem(item as UiMenuItem)
        }
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
