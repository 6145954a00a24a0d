import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// The tabs of the views: they choose, and fold into a menu where there is no room.
Item {
    id: root

    width: 1024
    height: 640

    Session {
        id: theSession
    }
    ViewTabs {
        id: tabs

        views: theSession.views
    }

    TestCase {
        name: "ViewTabs"
        when: windowShown

        function cleanup() {
            theSession.views.view = Views.Timeline;
            tabs.folded = false;
        }
        function test_aTabChoosesItsView() {
            const tab = findChild(tabs, "view" + Views.Heatmap);
            verify(tab);
            mouseClick(tab);
            compare(theSession.views.view, Views.Heatmap);
            verify(tab.checked);
            verify(!findChild(tabs, "view0").checked);
        }
        function test_keysOfATab() {
            const tab = findChild(tabs, "view" + Views.Kernels);
            tab.forceActiveFocus();
            keyClick(Qt.Key_Return);
            compare(theSession.views.view, Views.Kernels);
        }
        function test_everyTabHasItsKey() {
            for (let i = 0; i < theSession.views.titles.length; ++i)
                compare(KeyMap.hint("view" + i), "Ctrl+" + (i + 1) % 10);
        }
        function test_foldedItTakesLittleRoom() {
            const open = tabs.width;
            tabs.folded = true;
            tryVerify(() => tabs.width < open / 2);
            // What decides whether they fold does not change by folding.
            compare(tabs.openWidth, open);
        }
    }
}
