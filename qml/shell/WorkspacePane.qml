pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// The pane of an open database: the runs, and the chosen view with its inspector.
FocusScope {
    id: pane

    required property Session session
    required property WindowState panes
    readonly property Views views: session.views
    readonly property ViewPage page: slots.count > pane.views.view ? (slots.itemAt(pane.views.view) as ViewSlot).page : null
    readonly property Item body: pane.page ? pane.page.body : null
    readonly property list<Item> parts: [runList, pane.body, pane.page ? pane.page.inspector : null]

    function exportShown() {
        if (pane.page && pane.page.exportable)
            exportDialog.open();
    }
    function focusFilter() {
        pane.panes.runListOpen = true;
        runList.focusFilter();
    }
    // Focuses the search, or the changes, of the view that has one, else the timeline's search.
    function focusSearch() {
        const kernels = pane.page as KernelsView;
        if (kernels)
            return kernels.focusSearch();
        const replay = pane.page as ReplayView;
        if (replay)
            return replay.focusSearch();
        pane.views.view = Views.Timeline;
        const timeline = pane.page as TimelinePage;
        if (timeline)
            timeline.focusSearch();
    }
    // From run list to view to inspector, and around.
    function cyclePane(forward: bool) {
        let at = runList.activeFocus ? 0 : pane.body && pane.body.activeFocus ? 1 : 2;
        for (let tried = 0; tried < 3; ++tried) {
            at = (at + (forward ? 1 : 2)) % 3;
            if (pane.parts[at] && pane.parts[at].visible)
                return pane.parts[at].forceActiveFocus(Qt.TabFocusReason);
        }
    }
    // A part that is hidden would keep the keys.
    function takeKeysFrom(part: Item) {
        if (!part.visible && part.activeFocus && pane.body)
            pane.body.forceActiveFocus(Qt.OtherFocusReason);
    }
    onBodyChanged: {
        if (pane.body && pane.visible)
            pane.body.forceActiveFocus(Qt.OtherFocusReason);
    }

    Connections {
        target: pane.page ? pane.page.inspector : null

        function onVisibleChanged() {
            pane.takeKeysFrom(pane.page.inspector);
        }
    }

    RowLayout {
        anchors.fill: parent
        spacing: 0

        RunList {
            id: runList

            Layout.fillHeight: true
            Layout.preferredWidth: Theme.runListWidth
            visible: pane.panes.runListOpen
            session: pane.session
            onVisibleChanged: pane.takeKeysFrom(runList)
        }
        Item {
            Layout.fillWidth: true
            Layout.fillHeight: true

            ViewSegments {
                id: segments

                width: parent.width
                height: visible ? implicitHeight : 0
                visible: pane.session.places.shown.length > 1
                session: pane.session
            }
            Repeater {
                id: slots

                model: pane.views.titles
                delegate: ViewSlot {
                    required property int index

                    anchors.fill: parent
                    anchors.topMargin: segments.height
                    session: pane.session
                    kind: index
                    chosen: pane.views.view === index && (pane.visible || index === Views.Overview)
                    focus: chosen
                    inspectorOpen: pane.panes.inspectorOpen
                }
            }
        }
    }
    ExportDialog {
        id: exportDialog

        source: pane.page ? pane.page.exportable : null
        viewWidth: pane.body ? pane.body.width : 0
        viewHeight: pane.body ? pane.body.height : 0
    }
}
