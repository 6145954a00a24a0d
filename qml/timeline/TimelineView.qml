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

    // Keys that a text field or a button does not want come here.
    Keys.onPressed: event => {
        event.accepted = controller.handleKey(event.key, event.modifiers);
    }
    Accessible.role: Accessible.Pane
    Accessible.name: "Timeline view"

    TimelineController {
        id: controller

        workspace: view.workspace
        views: view.views
        onSearchRequested: toolbar.focusSearch()
    }
    TimelineToolbar {
        id: toolbar

        width: parent.width
        controller: controller
        onDone: canvas.forceActiveFocus()
    }
    TimelineCanvas {
        id: canvas

        anchors.top: toolbar.bottom
        anchors.bottom: minimap.top
        width: parent.width
        controller: controller
        focus: true
    }
    Minimap {
        id: minimap

        anchors.bottom: parent.bottom
        width: parent.width
        visible: controller.ready
        height: visible ? implicitHeight : 0
        controller: controller
    }
}
