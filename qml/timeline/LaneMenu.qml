pragma ComponentBehavior: Bound

import QtQml.Models
import QtQuick
import Trainscope
import Trainscope.App

// A menu for one lane, which openFor() gives.
UiMenu {
    id: menu

    required property TimelineController controller
    property LaneHead lane: null
    property Item opener: null
    readonly property int row: lane ? lane.index : -1
    signal deriveWanted(int row)
    signal changeWanted(int row)

    onClosed: opener = null

    function openFor(head: LaneHead, anchor: Item) {
        lane = head;
        opener = anchor;
        popup(anchor, 0, anchor.height);
    }

    // The styles that a lane of samples can have.
    Instantiator {
        model: 3
        delegate: UiMenuItem {
            required property int index

            text: menu.lane ? menu.controller.lanes.styleText(menu.row, index) : ""
            enabled: menu.lane ? menu.lane.hasStyles : false
            choice: true
            checked: menu.lane ? menu.lane.laneStyle === index : false
            onTriggered: menu.controller.lanes.setStyle(menu.row, index)
        }
        onObjectAdded: (index, item) => menu.insertItem(index, item as UiMenuItem)
    }
    UiMenuItem {
        text: menu.lane && menu.lane.canMerge ? "All GPUs in one lane" : "One lane per GPU"
        enabled: menu.lane ? menu.lane.canSplit || menu.lane.canMerge : false
        onTriggered: menu.lane.canMerge ? menu.controller.lanes.merge(menu.row) : menu.controller.lanes.split(menu.row)
    }
    UiMenuSeparator {}
    UiMenuItem {
        text: "Move up"
        iconName: "arrowUp"
        shortcutText: "Alt+↑"
        enabled: menu.row > 0
        onTriggered: menu.controller.lanes.move(menu.row, menu.row - 1)
    }
    UiMenuItem {
        text: "Move down"
        iconName: "arrowDown"
        shortcutText: "Alt+↓"
        enabled: menu.row + 1 < menu.controller.lanes.model.count
        onTriggered: menu.controller.lanes.move(menu.row, menu.row + 1)
    }
    UiMenuItem {
        text: "Higher"
        iconName: "plus"
        shortcutText: "Alt+→"
        onTriggered: menu.controller.lanes.resizeBy(menu.row, Theme.spaceXl)
    }
    UiMenuItem {
        text: "Lower"
        iconName: "minus"
        shortcutText: "Alt+←"
        onTriggered: menu.controller.lanes.resizeBy(menu.row, -Theme.spaceXl)
    }
    UiMenuItem {
        text: "Share the height of the window"
        choice: true
        checked: menu.lane ? !menu.lane.isFixed : true
        onTriggered: menu.lane.isFixed ? menu.controller.lanes.share(menu.row) : menu.controller.lanes.resizeBy(menu.row, 0)
    }
    UiMenuItem {
        text: "Derive a lane from it…"
        iconName: "chart"
        shortcutText: KeyMap.hint("derive")
        enabled: menu.lane ? menu.lane.hasStyles : false
        onTriggered: menu.deriveWanted(menu.row)
    }
    UiMenuItem {
        text: "Change name and formula…"
        iconName: "edit"
        visible: menu.lane ? menu.lane.derived : false
        height: visible ? implicitHeight : 0
        onTriggered: menu.changeWanted(menu.row)
    }
    UiMenuItem {
        text: "Spectrum of the power"
        shortcutText: KeyMap.hint("view" + Views.Spectrum)
        enabled: menu.lane ? menu.lane.hasSpectrum : false
        onTriggered: menu.controller.views.view = Views.Spectrum
    }
    UiMenuSeparator {}
    UiMenuItem {
        text: "Remove the lane"
        iconName: "trash"
        onTriggered: menu.controller.lanes.remove(menu.row)
    }
}
