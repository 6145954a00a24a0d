import QtQuick
import Trainscope
import Trainscope.App

// The timeline with its inspector.
ViewPage {
    id: page

    function focusSearch() {
        timeline.focusSearch();
    }

    kind: Views.Timeline
    body: timeline
    inspector: panel
    exportable: timeline.controller

    TimelineView {
        id: timeline

        anchors.top: parent.top
        anchors.bottom: parent.bottom
        anchors.left: parent.left
        anchors.right: panel.left
        focus: true
        workspace: page.session.workspace
        views: page.session.views
    }
    Inspector {
        id: panel

        anchors.right: parent.right
        width: visible ? implicitWidth : 0
        height: parent.height
        visible: page.inspectorOpen
        controller: timeline.controller
    }
}
