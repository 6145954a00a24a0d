import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// The tabs of the places: they choose, say why a place is dimmed, and fold into a menu where there is
// no room. The views of a place stand beside each other below them.
Item {
    id: root

    width: 1024
    height: 640

    Session {
        id: theSession
    }
    ViewTabs {
        id: tabs

        places: theSession.places
    }
    ViewSegments {
        id: segments

        y: 100
        width: 600
        session: theSession
    }
    UiTab {
        id: dimmed

        y: 200
        text: "Kernels"
        reason: "There is no trace in this run."
    }

    TestCase {
        name: "ViewTabs"
        when: windowShown

        function cleanup() {
            theSession.views.view = Views.Timeline;
            tabs.folded = false;
        }
        function test_aTabChoosesItsPlace() {
            const tab = findChild(tabs, "place" + Places.Machine);
            verify(tab);
            mouseClick(tab);
            compare(theSession.views.view, Views.Layout);
            verify(tab.checked);
            verify(!findChild(tabs, "place" + Places.Timeline).checked);
        }
        function test_keysOfATab() {
            const tab = findChild(tabs, "place" + Places.Kernels);
            tab.forceActiveFocus();
            keyClick(Qt.Key_Return);
            compare(theSession.views.view, Views.Kernels);
        }
        function test_theViewsOfAPlace() {
            theSession.views.view = Views.Kernels;
            tryVerify(() => findChild(segments, "view" + Views.Kernels) !== null);
            verify(findChild(segments, "view" + Views.Kernels).checked);
            compare(findChild(segments, "view" + Views.Heatmap), null);
            tryVerify(() => findChild(segments, "view" + Views.Replay).x > findChild(segments, "view" + Views.Kernels).x);
            mouseClick(findChild(segments, "view" + Views.Kernels));
            compare(theSession.views.view, Views.Kernels);
            compare(theSession.places.place, Places.Kernels);
        }
        function test_everyTabHasItsKey() {
            compare(theSession.places.titles.join(" "), "Overview Timeline Machine Kernels Compare Predict Data");
            for (let place = 0; place < 7; ++place)
                compare(KeyMap.hint("place" + place), "Alt+" + (place + 1));
            const keys = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "P"];
            for (let i = 0; i < keys.length; ++i)
                compare(KeyMap.hint("view" + i), "Ctrl+" + keys[i]);
            compare(KeyMap.sequences("view" + Views.Kernels).join(" "), "Ctrl+4 Ctrl+K");
            compare(KeyMap.hint("view" + Views.Replay), "Ctrl+R");
        }
        function test_aDimmedTabSaysWhy() {
            verify(!dimmed.contentItem.enabled);
            compare(dimmed.Accessible.description, "There is no trace in this run.");
            verify(dimmed.enabled);
        }
        function test_foldedItTakesLittleRoom() {
            const open = tabs.width;
            tabs.folded = true;
            tryVerify(() => tabs.width < open / 2);
            // The decision whether they fold does not change by folding.
            compare(tabs.openWidth, open);
        }
    }
}
