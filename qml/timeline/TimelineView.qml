import QtQuick
import Trainscope
import Trainscope.App

// The timeline with its tools and minimap. `controller` is for the inspector and the export.
FocusScope {
    id: view

    required property Workspace workspace
    property Views views: null
    readonly property alias controller: controller

    function focusSearch() {
        toolbar.focusSearch();
    }

    // Closed, the list of lanes gives the keyboard back.
    function showLanes(shown: bool) {
        lanes.visible = shown;
        shown ? lanes.open() : canvas.forceActiveFocus();
    }

    // Keys that a text field or a button does not want come here.
    Keys.onPressed: event => {
        const closes = event.key === Qt.Key_Escape && lanes.visible;
        if (closes)
            view.showLanes(false);
        event.accepted = closes || controller.handleKey(event.key, event.modifiers);
    }
    Accessible.role: Accessible.Pane
    Accessible.name: "Timeline view"

    TimelineController {
        id: controller

        workspace: view.workspace
        views: view.views
        onSearchRequested: toolbar.focusSearch()
        onLanesRequested: view.showLanes(!lanes.visible)
        onDeriveRequested: derive.derive(controller.lanes.current)
    }
    TimelineToolbar {
        id: toolbar

        width: parent.width
        controller: controller
        lanesOpen: lanes.visible
        onDone: canvas.forceActiveFocus()
        onLanesWanted: view.showLanes(!lanes.visible)
        onHitsWanted: hits.focusList()
    }
    SearchHits {
        id: hits

        anchors.top: toolbar.bottom
        anchors.left: parent.left
        anchors.leftMargin: lanes.taken
        anchors.right: parent.right
        height: implicitHeight
        controller: controller
        onDone: canvas.forceActiveFocus()
    }
    TimelineCanvas {
        id: canvas

        anchors.top: hits.bottom
        anchors.bottom: minimap.top
        anchors.left: parent.left
        anchors.leftMargin: lanes.taken
        anchors.right: parent.right
        controller: controller
        focus: true
        onDeriveWanted: lane => derive.derive(lane)
        onChangeWanted: lane => derive.change(lane)
    }
    Minimap {
        id: minimap

        anchors.bottom: parent.bottom
        anchors.left: canvas.left
        anchors.right: parent.right
        visible: controller.ready
        height: visible ? implicitHeight : 0
        controller: controller
    }
    // Beside the lanes, or over their names where the view is too narrow for both.
    LanesPanel {
        id: lanes

        readonly property real taken: visible && view.width - width > Theme.inspectorWidth + Theme.spaceXl ? width : 0

        objectName: "lanesPanel"
        anchors.top: toolbar.bottom
        anchors.bottom: parent.bottom
        width: Math.min(implicitWidth, view.width)
        visible: false
        controller: controller
        onClosed: view.showLanes(false)
        onDeriveWanted: lane => derive.derive(lane)
        onChangeWanted: lane => derive.change(lane)
    }
    LaneDerive {
        id: derive

        parent: view
        x: lanes.visible ? Math.min(lanes.width + Theme.spaceS, view.width - width) : canvas.x + Theme.spaceS
        y: toolbar.height + Theme.spaceS
        controller: controller
    }
}
