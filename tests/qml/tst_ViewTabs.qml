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
            const keys = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "P", "K"];
            compare(theSession.views.titles.length, keys.length);
            for (let i = 0; i < keys.length; ++i)
                compare(KeyMap.hint("view" + i), "Ctrl+" + keys[i]);
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
