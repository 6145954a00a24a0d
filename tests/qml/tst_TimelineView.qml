import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// The timeline: its hits stand above the lanes, its readouts below their names, and neither over the
// plot.
Item {
    id: root

    width: 1024
    height: 640

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
        name: "TimelineView"
        when: windowShown

        readonly property TimelineController controller: view.controller

        function initTestCase() {
            // qmllint disable unqualified
            theSession.openUrl(sweepsUrl);
            // qmllint enable unqualified
            tryVerify(() => controller.ready && controller.lanes.model.count > 0 && controller.navigation.plotWidth > 0);
        }
        function cleanup() {
            controller.search.clear();
            controller.cursor.leave();
        }
        function test_hitsStandAboveTheLanes() {
            const hits = findChild(view, "searchHits");
            compare(hits.height, 0);
            controller.search.text = "power";
            tryVerify(() => controller.search.rows.count > 0);
            tryVerify(() => hits.height > 0);
            const canvas = findChild(view, "cursorLine").parent;
            verify(hits.mapToItem(view, 0, hits.height).y <= canvas.mapToItem(view, 0, 0).y);
            // A list makes its rows when it is laid out.
            tryVerify(() => findChild(view, "hit0") !== null);
            mouseClick(findChild(view, "hit0"));
            tryVerify(() => controller.search.statusText.indexOf("1 of ") === 0);
            const list = findChild(view, "searchList");
            list.forceActiveFocus();
            keyClick(Qt.Key_Escape);
            compare(controller.search.text, "");
            compare(hits.height, 0);
        }
        function test_theListByKeys() {
            controller.search.text = "power";
            tryVerify(() => controller.search.rows.count > 0);
            view.focusSearch();
            keyClick(Qt.Key_Down);
            const list = findChild(view, "searchList");
            verify(list.activeFocus);
            compare(list.currentIndex, 0);
            keyClick(Qt.Key_Return);
            tryVerify(() => controller.search.statusText.indexOf("1 of ") === 0);
            keyClick(Qt.Key_F3);
            tryVerify(() => controller.search.statusText.indexOf(" of ") > 0);
        }
        function test_readoutsStandInTheNameColumn() {
            const plotX = controller.navigation.plotX;
            const canvas = findChild(view, "cursorLine").parent;
            mouseMove(canvas, plotX + 70, controller.lanes.top + 30);
            mouseMove(canvas, plotX + 80, controller.lanes.top + 30);
            const readout = findChild(view, "readout0");
            tryVerify(() => readout.visible);
            for (let i = 0; i < controller.lanes.model.count; ++i) {
                const one = findChild(view, "readout" + i);
                verify(one.x >= 0 && one.x + one.width <= plotX, "readout " + i);
            }
            verify(!findChild(view, "tip").visible);
        }
    }
}
