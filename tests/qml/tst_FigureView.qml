import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// A view of figures without a database and at the smallest size: its controls are inside.
Item {
    id: root

    width: 800 - Theme.runListWidth
    height: 520

    Session {
        id: theSession
    }
    FigureView {
        id: view

        anchors.fill: parent
        session: theSession
        kind: Views.Sweep
    }

    FigureSetting {
        id: setting

        key: "late"
        label: "Late"
        choices: ["one"]
        current: 0
        tip: ""
        isSwitch: false
        longest: "three"
    }

    TestCase {
        name: "FigureView"
        when: windowShown

        function test_controlsAreInside_data() {
            return [{tag: "runs"}, {tag: "against"}, {tag: "metric"}, {tag: "statistic"}, {tag: "optimization"}, {tag: "normalise"}];
        }
        function test_controlsAreInside(data) {
            const control = findChild(view, data.tag);
            verify(control);
            const corner = control.mapToItem(root, control.width, control.height);
            verify(corner.x <= root.width, data.tag + " ends at " + corner.x);
            verify(control.width > Theme.hitTarget);
        }
        function test_aChoiceIsTaken() {
            const against = findChild(view, "against");
            compare(against.currentIndex, 0);
            against.activated(2);
            tryCompare(findChild(view, "against"), "currentIndex", 2);
            findChild(view, "against").activated(0);
        }
        // Choices that arrive after the view do not change what is chosen.
        function test_laterChoicesKeepTheCurrentOne() {
            setting.current = 2;
            setting.choices = ["one", "two", "three"];
            compare(findChild(setting, "late").currentIndex, 2);
        }
        function test_aSwitchIsToggled() {
            const box = findChild(view, "normalise");
            verify(!box.checked);
            box.clicked();
            tryCompare(findChild(view, "normalise"), "checked", true);
            findChild(view, "normalise").clicked();
        }
    }
}
