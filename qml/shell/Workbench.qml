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
    readonly property ViewPage page: slots.count > bench.state.view ? (slots.itemAt(bench.state.view) as ViewSlot).page : null
    readonly property Item body: bench.page ? bench.page.body : null
    readonly property list<Item> parts: [runList, bench.body, bench.page ? bench.page.inspector : null]

    function exportShown() {
        if (bench.page && bench.page.exportable)
            exportDialog.open();
    }
    function focusFilter() {
        bench.panes.runListOpen = true;
        runList.focusFilter();
    }
    function focusSearch() {
        bench.state.view = BenchState.Timeline;
        const timeline = bench.page as TimelinePage;
        if (timeline)
            timeline.focusSearch();
    }
    // From run list to view to inspector, and around.
    function cyclePane(forward: bool) {
        let at = runList.activeFocus ? 0 : bench.body && bench.body.activeFocus ? 1 : 2;
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
        Item {
            Layout.fillWidth: true
            Layout.fillHeight: true

            Repeater {
                id: slots

                model: bench.state.titles
                delegate: ViewSlot {
                    required property int index

                    anchors.fill: parent
                    session: bench.session
                    kind: index
                    chosen: bench.state.view === index && (bench.visible || index === BenchState.Timeline)
                    focus: chosen
                    inspectorOpen: bench.panes.inspectorOpen
                }
            }
        }
    }
    ExportDialog {
        id: exportDialog

        source: bench.page ? bench.page.exportable : null
        figures: bench.page ? bench.page.figures : []
        figure: bench.page ? bench.page.figure : 0
        onFigureChosen: index => bench.page.figure = index
        viewWidth: bench.body ? bench.body.width : 0
        viewHeight: bench.body ? bench.body.height : 0
    }
}
