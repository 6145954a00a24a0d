import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// The table of all runs: it fills, filters, sorts, is edited, and leads to the other views.
Item {
    id: root

    width: 1024
    height: 640

    Session {
        id: theSession
    }
    RunsView {
        id: view

        anchors.fill: parent
        session: theSession
    }

    TestCase {
        name: "RunsView"
        when: windowShown

        readonly property var filter: findChild(view, "runsFilter")

        function row(index) {
            return findChild(view, "tableRow" + index);
        }
        function names() {
            const all = [];
            for (let i = 0; i < findChild(view, "tableRows").count; ++i)
                all.push(row(i).name);
            return all.join(" ");
        }
        function initTestCase() {
            // qmllint disable unqualified
            theSession.openUrl(sweepsUrl);
            // qmllint enable unqualified
            tryVerify(() => row(4) !== null);
        }
        function init() {
            filter.text = "";
            tryVerify(() => row(4) !== null);
            mouseClick(row(0));
        }
        function test_filterAndItsErrors() {
            tryVerify(() => row(2).cells.includes("300"));
            filter.text = "power > 250 and model ~ gpt";
            tryVerify(() => findChild(view, "tableRows").count === 1);
            compare(row(0).name, "gpt_base_10");
            filter.text = "power >";
            tryVerify(() => findChild(view, "expressionError").visible);
            verify(findChild(view, "expressionError").text.includes("character 8"));
            compare(findChild(view, "tableRows").count, 1);
            filter.text = "";
            tryVerify(() => !findChild(view, "expressionError").visible);
        }
        function test_headsSort() {
            const head = findChild(view, "tableHead0");
            const before = names();
            mouseClick(head);
            tryVerify(() => names() !== before);
            compare(names().split(" ").reverse().join(" "), before);
            mouseClick(head);
            tryVerify(() => names() === before);
        }
        function test_keysChoose() {
            mouseClick(row(1));
            keyClick(Qt.Key_Down, Qt.ShiftModifier);
            verify(row(1).chosen && row(2).chosen && !row(0).chosen);
            keyClick(Qt.Key_A, Qt.ControlModifier);
            verify(row(0).chosen && row(4).chosen);
            mouseClick(row(3), 20, 10, Qt.LeftButton, Qt.ControlModifier);
            verify(!row(3).chosen && row(4).chosen);
        }
        function test_noteIsEditedAndTakenBack() {
            mouseClick(row(1));
            keyClick(Qt.Key_N);
            const editor = findChild(view, "labelEditor");
            tryVerify(() => editor.visible && editor.activeFocus);
            editor.text = "fan 3";
            keyClick(Qt.Key_Return);
            tryVerify(() => row(1).cells.includes("fan 3"));
            verify(!editor.visible);
            keyClick(Qt.Key_Z, Qt.ControlModifier);
            tryVerify(() => !row(1).cells.includes("fan 3"));
            // Esc leaves it as it was.
            keyClick(Qt.Key_T);
            tryVerify(() => editor.activeFocus);
            editor.text = "never";
            keyClick(Qt.Key_Escape);
            tryVerify(() => !editor.visible);
            // A note that is written after it is there: the tag would be too.
            keyClick(Qt.Key_N);
            tryVerify(() => editor.activeFocus);
            editor.text = "later";
            keyClick(Qt.Key_Return);
            tryVerify(() => row(1).cells.includes("later"));
            verify(!row(1).cells.includes("never"));
            keyClick(Qt.Key_Z, Qt.ControlModifier);
            tryVerify(() => !row(1).cells.includes("later"));
        }
        function test_chosenRunsGoToOtherViews() {
            keyClick(Qt.Key_A, Qt.ControlModifier);
            for (const [button, target] of [["toCompare", Views.Compare], ["toSweep", Views.Sweep], ["toHeatmap", Views.Heatmap], ["toTimeline", Views.Timeline]]) {
                findChild(view, button).clicked();
                compare(theSession.views.view, target);
            }
            theSession.views.view = Views.Runs;
            keyClick(Qt.Key_C);
            compare(theSession.views.view, Views.Compare);
        }
        function test_controlsAreInside() {
            for (const name of ["runsFilter", "columns", "toTimeline", "toCompare", "toSweep", "toHeatmap", "tagChosen", "runsMore"]) {
                const control = findChild(view, name);
                verify(control, name);
                verify(control.mapToItem(root, control.width, control.height).x <= root.width, name);
            }
        }
    }
}
