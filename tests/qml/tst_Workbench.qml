import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// Every view is made when it is chosen, says what takes the keys, and is kept.
Item {
    id: root

    width: 1024
    height: 640

    Session {
        id: theSession
    }
    WindowState {
        id: thePanes
    }
    Workbench {
        id: workbench

        anchors.fill: parent
        session: theSession
        panes: thePanes
    }

    TestCase {
        name: "Workbench"
        when: windowShown

        function cleanup() {
            theSession.bench.view = BenchState.Timeline;
        }
        function test_viewsAreMade_data() {
            return theSession.bench.titles.map((title, index) => ({tag: title, view: index}));
        }
        function test_viewsAreMade(data) {
            theSession.bench.view = data.view;
            const page = workbench.page;
            verify(page);
            compare(page.kind, data.view);
            verify(page.visible && page.body);
            tryVerify(() => page.body.activeFocus);
            theSession.bench.view = (data.view + 1) % theSession.bench.titles.length;
            verify(workbench.page !== page);
            verify(!page.visible);
            theSession.bench.view = data.view;
            compare(workbench.page, page);
        }
        function test_panesTakeTurns() {
            thePanes.runListOpen = true;
            thePanes.inspectorOpen = true;
            const page = workbench.page;
            page.body.forceActiveFocus();
            workbench.cyclePane(true);
            verify(page.inspector.activeFocus);
            workbench.cyclePane(true);
            verify(!page.inspector.activeFocus && !page.body.activeFocus);
            workbench.cyclePane(true);
            verify(page.body.activeFocus);
            workbench.cyclePane(false);
            workbench.cyclePane(false);
            verify(page.inspector.activeFocus);
        }
        function test_searchOpensTheTimeline() {
            theSession.bench.view = BenchState.Findings;
            workbench.focusSearch();
            compare(theSession.bench.view, BenchState.Timeline);
        }
    }
}
