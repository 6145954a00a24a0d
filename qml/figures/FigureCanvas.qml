pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// The figure with what lies over it; higher figures are scrolled.
FocusScope {
    id: canvas

    required property DrawnView controller
    // Another part of the view tells how the reading goes.
    property bool quiet: false
    // The frame that shows where the keys go; a page shows its selection alone.
    property bool framed: true
    // Share of the picture's height that is scrolled out above.
    readonly property real scroll: flick.contentHeight > 0 ? flick.contentY / flick.contentHeight : 0

    function scrollTo(share: real) {
        flick.contentY = Math.max(0, Math.min(share * flick.contentHeight, flick.contentHeight - flick.height));
    }

    function turnPages(pages: int) {
        flick.contentY = Math.max(0, Math.min(flick.contentY + pages * flick.height, flick.contentHeight - flick.height));
    }

    activeFocusOnTab: true
    clip: true
    Accessible.role: Accessible.Chart
    Accessible.name: controller.title === "" ? "Figure" : controller.title
    Accessible.description: controller.ready ? controller.caption : controller.emptyText
    Accessible.focusable: true
    Keys.onPressed: event => event.accepted = canvas.handleKey(event.key)

    function handleKey(key: int): bool {
        if (key === Qt.Key_Return || key === Qt.Key_Enter)
            canvas.controller.openSelected();
        else if (key === Qt.Key_Left || key === Qt.Key_Right)
            canvas.controller.step(key === Qt.Key_Left ? -1 : 1, 0);
        else if (key === Qt.Key_Up || key === Qt.Key_Down)
            canvas.controller.step(0, key === Qt.Key_Up ? -1 : 1);
        else if (key === Qt.Key_PageUp || key === Qt.Key_PageDown)
            canvas.turnPages(key === Qt.Key_PageUp ? -1 : 1);
        else if (key === Qt.Key_Home || key === Qt.Key_End)
            canvas.scrollTo(key === Qt.Key_Home ? 0 : 1);
        else
            return false;
        return true;
    }

    Flickable {
        id: flick

        anchors.fill: parent
        contentHeight: canvas.controller.contentHeight
        boundsBehavior: Flickable.StopAtBounds
        UiScrollBar.vertical: UiScrollBar {}
        interactive: contentHeight > height

        FigureItem {
            id: figure

            y: flick.contentY
            width: flick.width
            height: flick.height
            controller: canvas.controller
            scroll: flick.contentY
            focus: true
        }
        FigureOutline {
            place: canvas.controller.hovered
            frame: Theme.textSecondary
        }
        FigureOutline {
            place: canvas.controller.selected
            frame: Theme.accent
            border.width: 2 * Theme.hairline
        }
    }
    // Beside what the pointer is over, and inside the view.
    UiTip {
        readonly property rect place: canvas.controller.hovered
        readonly property real below: place.y + place.height - flick.contentY + Theme.spaceS

        x: Math.max(Theme.spaceXs, Math.min(place.x, canvas.width - width - Theme.spaceM))
        y: below + height < canvas.height ? below : Math.max(Theme.spaceXs, place.y - flick.contentY - height - Theme.spaceS)
        visible: title !== ""
        title: canvas.controller.hoverTitle
        text: canvas.controller.hoverText
    }
    ReadingState {
        anchors.fill: parent
        visible: !canvas.quiet
        controller: canvas.controller
        emptyTitle: canvas.controller.emptyText
    }
    UiFocusRing {
        control: canvas
        anchors.margins: 0
        visible: canvas.framed && figure.activeFocus
        opacity: 0.5
    }
}
