import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// What is shown while a database is open: runs, view, inspector.
FocusScope {
    id: bench

    required property Session session
    required property WindowState panes
    readonly property list<Item> parts: [runList, timeline, inspector]

    function exportFigure() {
        exportDialog.open();
    }
    function focusFilter() {
        bench.panes.runListOpen = true;
        runList.focusFilter();
    }
    function focusSearch() {
        timeline.focusSearch();
    }
    // From run list to view to inspector, and around.
    function cyclePane(forward: bool) {
        let at = runList.activeFocus ? 0 : timeline.activeFocus ? 1 : 2;
        do
            at = (at + (forward ? 1 : 2)) % 3;
        while (!bench.parts[at].visible)
        bench.parts[at].forceActiveFocus(Qt.TabFocusReason);
    }

    RowLayout {
        anchors.fill: parent
        spacing: 0

        RunList {
            id: runList

            Layout.fillHeight: true
            Layout.preferredWidth: Theme.runListWidth
            visible: bench.panes.runListOpen
            session: bench.session
        }
        TimelineView {
            id: timeline

            Layout.fillWidth: true
            Layout.fillHeight: true
            focus: true
            workspace: bench.session.workspace
        }
        Inspector {
            id: inspector

            Layout.fillHeight: true
            Layout.preferredWidth: Theme.inspectorWidth
            visible: bench.panes.inspectorOpen
            controller: timeline.controller
        }
    }
    ExportDialog {
        id: exportDialog

        timeline: timeline.controller
        viewWidth: timeline.canvasWidth
        viewHeight: timeline.canvasHeight
    }
}
