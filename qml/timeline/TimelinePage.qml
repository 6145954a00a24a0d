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
    inspector: Inspector {
        controller: timeline.controller
    }
    exportable: timeline.controller

    TimelineView {
        id: timeline

        anchors.fill: parent
        focus: true
        workspace: page.session.workspace
        views: page.session.views
    }
}
