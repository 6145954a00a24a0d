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
    WorkspacePane {
        id: workspacePane

        anchors.fill: parent
        session: theSession
        panes: thePanes
    }

    TestCase {
        name: "WorkspacePane"
        when: windowShown

        function cleanup() {
            theSession.views.view = Views.Timeline;
        }
        function test_viewsAreMade_data() {
            return theSession.views.titles.map((title, index) => ({tag: title, view: index}));
        }
        function test_viewsAreMade(data) {
            theSession.views.view = data.view;
            const page = workspacePane.page;
            verify(page);
            compare(page.kind, data.view);
            verify(page.visible && page.body);
            tryVerify(() => page.body.activeFocus);
            theSession.views.view = (data.view + 1) % theSession.views.titles.length;
            verify(workspacePane.page !== page);
            verify(!page.visible);
            theSession.views.view = data.view;
            compare(workspacePane.page, page);
        }
        function test_panesTakeTurns() {
            thePanes.runListOpen = true;
            thePanes.inspectorOpen = true;
            const page = workspacePane.page;
            page.body.forceActiveFocus();
            workspacePane.cyclePane(true);
            verify(page.inspector.activeFocus);
            workspacePane.cyclePane(true);
            verify(!page.inspector.activeFocus && !page.body.activeFocus);
            workspacePane.cyclePane(true);
            verify(page.body.activeFocus);
            workspacePane.cyclePane(false);
            workspacePane.cyclePane(false);
            verify(page.inspector.activeFocus);
        }
        function test_noPaneToTurnTo() {
            workspacePane.visible = false;
            workspacePane.cyclePane(true);
            workspacePane.cyclePane(false);
            workspacePane.visible = true;
            verify(workspacePane.page.visible);
        }
        function test_searchOpensTheTimeline() {
            theSession.views.view = Views.Findings;
            workspacePane.focusSearch();
            compare(theSession.views.view, Views.Timeline);
        }
    }
}
