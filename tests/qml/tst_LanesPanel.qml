import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// The list of lanes beside the timeline, by keys and pointer.
Item {
    id: root

    width: 1200
    height: 700

    Session {
        id: theSession
    }
    TimelineView {
        id: view

        anchors.fill: parent
        workspace: theSession.workspace
        views: theSession.views
    }

    TestCase {
        id: test

        name: "LanesPanel"
        when: windowShown

        readonly property Item panel: findChild(view, "lanesPanel")
        readonly property Item search: findChild(view, "laneSearch")
        readonly property Item rows: findChild(view, "laneRows")
        readonly property var lanes: view.controller.lanes

        function initTestCase() {
            // qmllint disable unqualified
            theSession.openUrl(sweepsUrl); // power and temperature of one GPU each
            // qmllint enable unqualified
            tryVerify(() => view.controller.ready && !view.controller.loading, 20000);
        }
        function init() {
            view.showLanes(false);
            test.lanes.reset();
            tryCompare(test.lanes.model, "count", 2);
            view.forceActiveFocus();
            keyClick(Qt.Key_E);
            verify(test.panel.visible);
        }
        function row(index): Item {
            test.rows.positionViewAtIndex(index, ListView.Contain);
            return test.rows.itemAtIndex(index);
        }
        function test_theSearchHasTheKeysAtOnce() {
            verify(test.search.activeFocus);
            keyClick(Qt.Key_T);
            keyClick(Qt.Key_E);
            keyClick(Qt.Key_M);
            compare(test.search.text, "tem");
            compare(row(0).title, "GPU temperature");
            compare(test.lanes.model.count, 2); // letters are not keys of the timeline
        }
        function test_spaceShowsAndTakesAway() {
            keyClick(Qt.Key_Down);
            verify(test.rows.activeFocus);
            compare(test.rows.currentIndex, 0);
            compare(row(0).title, "GPU power");
            keyClick(Qt.Key_Space);
            tryCompare(test.lanes.model, "count", 1);
            compare(row(0).title, "GPU temperature");
            keyClick(Qt.Key_Z, Qt.ControlModifier);
            tryCompare(test.lanes.model, "count", 2);
            compare(row(0).title, "GPU power");
        }
        function test_enterAddsWhatWasFound() {
            test.lanes.remove(0);
            tryCompare(test.lanes.model, "count", 1);
            test.search.text = "gpu power";
            verify(!row(0).shown);
            keyClick(Qt.Key_Return);
            tryCompare(test.lanes.model, "count", 2);
            compare(test.lanes.current, 1);
            keyClick(Qt.Key_Return); // it is there
            compare(test.lanes.current, 1);
            compare(test.rows.count, 3); // shown, by its kind, and the head of the averaged one, which is not recorded
        }
        function test_altArrowsMove() {
            keyClick(Qt.Key_Down);
            keyClick(Qt.Key_Down, Qt.AltModifier);
            compare(row(0).title, "GPU temperature");
            compare(row(1).title, "GPU power");
            compare(test.rows.currentIndex, 1);
        }
        function test_lettersGoOnWithTheSearch() {
            keyClick(Qt.Key_Down);
            keyClick(Qt.Key_K);
            verify(test.search.activeFocus);
            compare(test.search.text, "k");
        }
        function test_escapeCloses() {
            keyClick(Qt.Key_Down);
            keyClick(Qt.Key_Escape);
            verify(!test.panel.visible);
            verify(view.activeFocus);
            keyClick(Qt.Key_E);
            verify(test.panel.visible);
            verify(test.search.activeFocus);
        }
        function test_aTickIsClicked() {
            mouseClick(findChild(row(0), "tick"));
            tryCompare(test.lanes.model, "count", 1);
        }
        function test_aHeightIsTyped() {
            const field = findChild(row(0), "height");
            mouseClick(field);
            keyClick(Qt.Key_1);
            keyClick(Qt.Key_5);
            keyClick(Qt.Key_0);
            keyClick(Qt.Key_Return);
            tryVerify(() => row(0).chosenHeight === "150");
            verify(test.panel.visible);
        }
        function test_presetsAndReset() {
            const links = findChild(test.panel, "preset1");
            verify(!links.enabled);
            verify(links.toolTip.endsWith("neither links nor kernels."));
            test.lanes.remove(0);
            tryCompare(test.lanes.model, "count", 1);
            mouseClick(findChild(test.panel, "preset0"));
            tryCompare(test.lanes.model, "count", 2);
            test.lanes.remove(0);
            mouseClick(findChild(test.panel, "resetLanes"));
            tryCompare(test.lanes.model, "count", 2);
        }
    }
}
