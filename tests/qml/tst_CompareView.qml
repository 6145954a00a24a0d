import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// The Compare view without a database and at the smallest size: its controls are inside.
Item {
    id: root

    width: 800 - Theme.runListWidth
    height: 520

    Session {
        id: theSession
    }
    CompareView {
        id: view

        anchors.fill: parent
        session: theSession
    }

    TestCase {
        name: "CompareView"
        when: windowShown

        function test_controlsAreInside_data() {
            return [{tag: "saved"}, {tag: "options"}, {tag: "copy"}];
        }
        function test_controlsAreInside(data) {
            const control = findChild(view, data.tag);
            verify(control);
            const corner = control.mapToItem(root, control.width, control.height);
            verify(corner.x <= root.width, data.tag + " ends at " + corner.x);
        }
        function test_exportsNothingWithoutRuns() {
            verify(view.body);
            verify(view.exportable);
            verify(!view.exportable.ready);
        }
        function test_aChoiceIsTaken() {
            const normalise = findChild(findChild(view, "optionsPopup").contentItem, "normalise");
            normalise.activated(1);
            tryCompare(normalise, "currentIndex", 1);
            normalise.activated(0);
        }
    }
}
