pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// What is shown while a database is open: the runs and the chosen view with its inspector.
FocusScope {
    id: bench

    required property Session session
    required property WindowState panes
    readonly property BenchState state: session.bench
    readonly property bool isTimeline: state.view === BenchState.Timeline
    // Each null while another view is open.
    readonly property OtherView other: bench.isTimeline || others.count === 0 ? null : others.itemAt(bench.state.view - 1) as OtherView
    readonly property FigureView figure: bench.other ? bench.other.figure : null
    readonly property FindingsView findings: bench.other ? bench.other.findings : null
    readonly property Item body: bench.isTimeline ? timeline : bench.figure ? bench.figure.body : bench.findings
    readonly property Item side: bench.isTimeline ? inspector : bench.figure ? bench.figure.inspector : null
    readonly property list<Item> parts: [runList, bench.body, bench.side]

    function exportShown() {
        exportDialog.open();
    }
    function focusFilter() {
        bench.panes.runListOpen = true;
        runList.focusFilter();
    }
    function focusSearch() {
        bench.state.view = BenchState.Timeline;
        timeline.focusSearch();
    }
    // From run list to view to inspector, and around.
    function cyclePane(forward: bool) {
        let at = runList.activeFocus ? 0 : bench.body.activeFocus ? 1 : 2;
        do
            at = (at + (forward ? 1 : 2)) % 3;
        while (!bench.parts[at] || !bench.parts[at].visible)
        bench.parts[at].forceActiveFocus(Qt.TabFocusReason);
    }
    onBodyChanged: {
        if (bench.body && bench.visible)
            bench.body.forceActiveFocus(Qt.OtherFocusReason);
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
            visible: bench.isTimeline
            focus: bench.isTimeline
            workspace: bench.session.workspace
            bench: bench.state
        }
        Inspector {
            id: inspector

            Layout.fillHeight: true
            Layout.preferredWidth: Theme.inspectorWidth
            visible: bench.panes.inspectorOpen && bench.isTimeline
            controller: timeline.controller
        }
        Item {
            Layout.fillWidth: true
            Layout.fillHeight: true
            visible: !bench.isTimeline

            Repeater {
                id: others

                model: [BenchState.Heatmap, BenchState.Kernels, BenchState.Sweep, BenchState.Spectrum, BenchState.Findings]
                delegate: OtherView {
                    required property int modelData

                    anchors.fill: parent
                    session: bench.session
                    kind: modelData
                    chosen: bench.visible && bench.state.view === modelData
                    inspectorOpen: bench.panes.inspectorOpen
                }
            }
        }
    }
    ExportDialog {
        id: exportDialog

        source: bench.figure ? bench.figure.controller : bench.findings ? bench.findings.controller : timeline.controller
        viewWidth: bench.body ? bench.body.width : 0
        viewHeight: bench.body ? bench.body.height : 0
    }
}
