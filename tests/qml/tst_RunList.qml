import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// The list of runs: ranges by mouse and keyboard, groups that fold and are chosen whole.
Item {
    id: root

    width: 1024
    height: 640

    Session {
        id: theSession
    }
    RunList {
        id: runs

        width: Theme.runListWidth
        height: parent.height
        session: theSession
    }

    TestCase {
        name: "RunList"
        when: windowShown

        function row(index) {
            return findChild(runs, "run" + index);
        }
        // The rows whose runs are shown, by their place.
        function shown() {
            const places = [];
            for (let i = 0; row(i); ++i) {
                if (row(i).visible && !row(i).head && row(i).shown)
                    places.push(i);
            }
            return places.join(" ");
        }
        function initTestCase() {
            // qmllint disable unqualified
            theSession.openUrl(sweepsUrl);
            // qmllint enable unqualified
            tryVerify(() => row(6) !== null);
        }
        function init() {
            mouseClick(row(1));
            tryCompare(row(1), "shown", true);
            compare(shown(), "1");
        }
        function test_rowsSayWhatTheyAre() {
            verify(row(0).head && row(4).head);
            compare(row(3).label, "base_10");
            compare(row(3).name, "gpt_base_10");
            verify(!row(0).folded);
            // A name that fits is shown whole.
            const shownName = find(row(3), item => item.brief === "base_10" && item.visible);
            compare(shownName.text, "gpt_base_10");
            const wide = runs.width;
            runs.width = wide / 4;
            tryCompare(shownName, "text", "base_10");
            runs.width = wide;
            tryCompare(shownName, "text", "gpt_base_10");
        }
        function find(item, wanted) {
            if (wanted(item))
                return item;
            for (let i = 0; i < item.children.length; ++i) {
                const found = find(item.children[i], wanted);
                if (found)
                    return found;
            }
            return null;
        }
        function test_shiftTakesTheRange() {
            mouseClick(row(3), 20, 10, Qt.LeftButton, Qt.ShiftModifier);
            compare(shown(), "1 2 3");
            mouseClick(row(5), 20, 10, Qt.LeftButton, Qt.ShiftModifier);
            compare(shown(), "1 2 3 5");
            mouseClick(row(2), 20, 10, Qt.LeftButton, Qt.ControlModifier);
            compare(shown(), "1 3 5");
            mouseClick(row(6), 20, 10, Qt.LeftButton, Qt.ControlModifier | Qt.ShiftModifier);
            compare(shown(), "1 2 3 5 6");
        }
        // The square of a run adds it and takes it away; the name chooses it alone.
        function test_squaresToggle() {
            const square = index => find(row(index), item => item.objectName === "mark" && item.visible);
            mouseClick(square(3));
            compare(shown(), "1 3");
            mouseClick(square(5));
            compare(shown(), "1 3 5");
            mouseClick(square(1));
            compare(shown(), "3 5");
            mouseClick(row(2));
            compare(shown(), "2");
            mouseClick(square(3), 4, 4, Qt.LeftButton, Qt.ShiftModifier);
            compare(shown(), "2 3");
        }
        function test_tipsSayWhatAClickDoes() {
            const square = find(row(3), item => item.objectName === "mark" && item.visible);
            const tip = find(square, item => item.text !== undefined && item.wanted !== undefined);
            compare(tip.text, "Show this run beside the others");
            mouseClick(square);
            compare(tip.text, "Hide this run");
            const ofRow = find(row(3), item => item.wanted !== undefined && item.text !== undefined && item.text.indexOf("Click") >= 0);
            verify(ofRow.text.indexOf("this run alone") >= 0);
        }
        function test_keys() {
            findChild(runs, "runList").forceActiveFocus();
            keyClick(Qt.Key_A, Qt.ControlModifier);
            compare(shown(), "1 2 3 5 6");
            keyClick(Qt.Key_Return);
            compare(shown(), "1");
            keyClick(Qt.Key_Down, Qt.ShiftModifier);
            compare(shown(), "1 2");
            keyClick(Qt.Key_Down, Qt.ShiftModifier);
            compare(shown(), "1 2 3");
            keyClick(Qt.Key_Up, Qt.ShiftModifier);
            compare(shown(), "1 2");
            // Arrows alone go on without choosing; the next range begins there.
            keyClick(Qt.Key_Down);
            compare(shown(), "1 2");
            keyClick(Qt.Key_Space);
            compare(shown(), "1 2 3");
            keyClick(Qt.Key_End);
            keyClick(Qt.Key_Up, Qt.ShiftModifier);
            compare(shown(), "5 6");
        }
        function test_aGroupFoldsAndIsChosenWhole() {
            mouseClick(row(0), 60, 10);
            tryVerify(() => row(0).folded);
            compare(row(1).label, "llama");
            mouseClick(row(0), 60, 10);
            tryVerify(() => !row(0).folded);
            tryCompare(row(4), "label", "llama");
            tryVerify(() => row(2) !== null);
            mouseClick(row(2));
            findChild(runs, "runList").forceActiveFocus();
            keyClick(Qt.Key_Left);
            tryVerify(() => row(0).folded);
            keyClick(Qt.Key_Right);
            tryVerify(() => !row(0).folded && row(6) !== null);
            // The check at the end of the head.
            mouseClick(row(4), row(4).width - Theme.spaceM - Theme.hitTarget / 2, row(4).height / 2);
            compare(shown(), "2 5 6");
            compare(row(4).membersState, Qt.Checked);
            compare(row(0).membersState, Qt.PartiallyChecked);
            verify(!row(4).folded);
        }
        // Its name is another run in the database that comes.
        function test_questionsEndWithTheDatabase_data() {
            return [
                {
                    tag: "removeSheet",
                    key: Qt.Key_Delete
                },
                {
                    tag: "renameSheet",
                    key: Qt.Key_F2
                },
                {
                    tag: "runMenu",
                    key: Qt.Key_Menu
                }
            ];
        }
        function test_questionsEndWithTheDatabase(data) {
            findChild(runs, "runList").forceActiveFocus();
            keyClick(data.key);
            const question = findChild(runs, data.tag);
            tryVerify(() => question.opened);
            theSession.closeDatabase();
            tryVerify(() => !question.visible);
            initTestCase();
        }
        function test_denseRowsAreLow() {
            const card = row(2).height;
            findChild(runs, "dense").clicked();
            tryVerify(() => row(2).height === Theme.hitTarget && row(2).height < card / 2);
            findChild(runs, "dense").clicked();
            tryCompare(row(2), "height", card);
        }
    }
}
