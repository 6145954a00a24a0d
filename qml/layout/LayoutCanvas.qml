pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// The diagrams under each other, scrolled where they are higher than the view; the logical one and
// the schedule side by side where there is room.
FocusScope {
    id: canvas

    required property LayoutController controller
    signal formWanted
    readonly property bool wide: width > Theme.cosyWidth * 0.8

    activeFocusOnTab: true
    clip: true
    Accessible.role: Accessible.Chart
    Accessible.name: controller.title
    Accessible.description: controller.origin
    Accessible.focusable: true
    Keys.onPressed: event => event.accepted = canvas.handleKey(event.key)

    function showPlacement() {
        canvas.controller.placementShown = !canvas.controller.placementShown;
        reveal.running = canvas.controller.placementShown;
    }
    // The diagram is laid out first.
    Timer {
        id: reveal

        interval: 0
        onTriggered: flick.contentY = Math.max(0, Math.min(placed.y, flick.contentHeight - flick.height))
    }
    function turnPages(pages: int) {
        flick.contentY = Math.max(0, Math.min(flick.contentY + pages * flick.height, flick.contentHeight - flick.height));
    }
    function handleKey(key: int): bool {
        const steps = {
            [Qt.Key_Left]: [-1, 0],
            [Qt.Key_Right]: [1, 0],
            [Qt.Key_Up]: [0, -1],
            [Qt.Key_Down]: [0, 1]
        };
        const playback = canvas.controller.playback;
        if (steps[key])
            canvas.controller.selection.step(steps[key][0], steps[key][1]);
        else if (key === Qt.Key_Escape)
            return canvas.controller.clear();
        else if (key === Qt.Key_Return || key === Qt.Key_Enter)
            canvas.controller.selection.open();
        else if (key === Qt.Key_Space && canvas.controller.moving)
            playback.playing = !playback.playing;
        else if (key === Qt.Key_PageUp || key === Qt.Key_PageDown)
            canvas.turnPages(key === Qt.Key_PageUp ? -1 : 1);
        else if (key === Qt.Key_Comma || key === Qt.Key_Period)
            playback.nudge(key === Qt.Key_Comma ? -1 : 1);
        else
            return false;
        return true;
    }

    Flickable {
        id: flick

        anchors.fill: parent
        contentHeight: column.height + 2 * Theme.spaceL
        boundsBehavior: Flickable.StopAtBounds
        UiScrollBar.vertical: UiScrollBar {}
        interactive: contentHeight > height
        visible: canvas.controller.ready

        TapHandler {
            onTapped: {
                canvas.forceActiveFocus(Qt.MouseFocusReason);
            }
        }
        Column {
            id: column

            x: Theme.spaceL
            y: Theme.spaceM
            width: flick.width - 2 * Theme.spaceL
            spacing: Theme.spaceM

            LayoutDiagram {
                objectName: "physical"
                width: parent.width
                z: 1
                controller: canvas.controller
                part: LayoutDiagrams.Physical
                room: flick.height - 4 * Theme.hitTarget
                heading: "Physical"
                text: "Nodes in rack order, GPUs in airflow order, the front row above"
            }
            LayoutDiagram {
                width: parent.width
                controller: canvas.controller
                part: LayoutDiagrams.Legend
            }
            MessageBox {
                anchors.horizontalCenter: parent.horizontalCenter
                title: canvas.controller.hasLogical ? "" : "The parallel layout of this run is not known."
                text: canvas.controller.emptyText
            }
            UiButton {
                anchors.horizontalCenter: parent.horizontalCenter
                visible: !canvas.controller.hasLogical
                text: "Enter by hand…"
                onClicked: canvas.formWanted()
            }
            LayoutDiagram {
                id: placed

                objectName: "placed"
                width: parent.width
                visible: canvas.controller.placementShown && canvas.controller.placementTitle !== ""
                controller: canvas.controller
                part: LayoutDiagrams.Placed
                heading: "Placement for the heat, before and after"
                text: "An estimate: nothing of it was run"
            }
            Flow {
                width: parent.width
                spacing: Theme.spaceXl

                LayoutDiagram {
                    objectName: "logical"
                    width: !canvas.wide || !canvas.controller.schedule.shown ? parent.width : (parent.width - Theme.spaceXl) * 0.42
                    visible: canvas.controller.hasLogical
                    z: 1
                    controller: canvas.controller
                    part: LayoutDiagrams.Logical
                    room: flick.height - 2 * Theme.spaceXl
                    heading: "Logical"
                    text: "Stage × data × tensor rank, same colours"
                }
                LayoutDiagram {
                    objectName: "schedule"
                    width: canvas.wide ? (parent.width - Theme.spaceXl) * 0.58 : parent.width
                    visible: canvas.controller.schedule.shown
                    controller: canvas.controller
                    part: LayoutDiagrams.Schedule
                    heading: "Pipeline schedule"
                    text: canvas.controller.schedule.text
                    reserved: wholeStep.visible ? wholeStep.width + Theme.spaceM : 0
                    settings: canvas.controller.schedule.settings
                    onChosen: (key, choice) => canvas.controller.schedule.choose(key, choice)

                    UiCheckBox {
                        id: wholeStep

                        anchors.right: parent.right
                        objectName: "wholeStep"
                        visible: canvas.controller.schedule.longStep
                        text: "Whole step"
                        checked: canvas.controller.wholeStep
                        onToggled: canvas.controller.wholeStep = checked
                    }
                }
            }
        }
    }
    ReadingState {
        anchors.fill: parent
        controller: canvas.controller
        emptyTitle: canvas.controller.emptyTitle
        below: true
        hidden: canvas.controller.ready

        UiButton {
            anchors.horizontalCenter: parent.horizontalCenter
            visible: canvas.controller.errorText !== "" && canvas.controller.enterable
            text: "Enter by hand…"
            onClicked: canvas.formWanted()
        }
    }
    UiFocusRing {
        control: canvas
        anchors.margins: 0
        visible: canvas.activeFocus
        opacity: 0.5
    }
}
