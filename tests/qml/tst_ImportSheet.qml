import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// The import sheet at the smallest window: nothing recognised, said so, and closed with Esc.
Item {
    width: 1024
    height: 640

    Session {
        id: theSession
    }
    ImportSheet {
        id: sheet

        controller: theSession.importing
    }

    TestCase {
        name: "ImportSheet"
        when: windowShown

        function cleanup() {
            if (sheet.visible)
                theSession.importing.cancel();
            tryVerify(() => !sheet.visible);
        }
        function test_hiddenAtFirst() {
            verify(!sheet.visible);
        }
        function review() {
            theSession.openUrl(Qt.resolvedUrl("logs"));
            tryCompare(theSession.importing, "stage", ImportController.Stage.Review);
            tryVerify(() => sheet.opened);
            const list = findChild(sheet.contentItem, "groups");
            tryCompare(list, "count", 2);
            tryVerify(() => list.itemAtIndex(1) !== null);
            return list;
        }
        function cell(list, row, name) {
            return findChild(list.itemAtIndex(row), name);
        }
        function type(field, text) {
            mouseClick(field);
            field.selectAll();
            for (const letter of text)
                keyClick(letter);
        }

        function test_runsAreFolded() {
            const list = review();
            const groups = theSession.importing.groups;
            compare(cell(list, 0, "name").text, "first");
            compare(cell(list, 0, "detail").text, "1 nvidia-smi log · 1 remark");
            compare(cell(list, 0, "result").text, "nvidia-smi log, 2 GPUs, 1 metric · starts 2024-05-01 12:00:10 UTC");
            mouseClick(cell(list, 0, "fold"));
            // The remark and the source.
            tryCompare(list, "count", 4);
            tryVerify(() => list.itemAtIndex(2) !== null && list.itemAtIndex(2).title === "first.csv");
            verify(!list.itemAtIndex(2).isRun);
            mouseClick(cell(list, 0, "fold"));
            tryCompare(list, "count", 2);
            // By the keyboard: from the list, right unfolds and the space bar marks.
            list.currentIndex = 1;
            list.forceActiveFocus();
            keyClick(Qt.Key_Right);
            tryCompare(list, "count", 4);
            keyClick(Qt.Key_Space);
            compare(groups.markedCount, 1);
        }
        function test_editsSeveralAtOnce() {
            const list = review();
            const groups = theSession.importing.groups;
            compare(groups.scopeText, "All 2 runs");
            const zone = findChild(findChild(sheet.contentItem, "scopeBar"), "zone");
            type(zone, "+2");
            keyClick(Qt.Key_Return);
            tryCompare(cell(list, 0, "zone"), "text", "UTC+02:00");
            compare(cell(list, 1, "zone").text, "UTC+02:00");
            // A click beside the fields marks a run; with the control key another one.
            mouseClick(list.itemAtIndex(0), 2, 2);
            compare(groups.markedCount, 1);
            mouseClick(list.itemAtIndex(1), 2, 2, Qt.LeftButton, Qt.ControlModifier);
            compare(groups.scopeText, "2 of 2 runs");
            const merge = findChild(sheet.contentItem, "merge");
            tryVerify(() => merge.visible);
            mouseClick(merge);
            tryCompare(list, "count", 1);
            const split = findChild(sheet.contentItem, "split");
            tryVerify(() => split.visible && !merge.visible);
            // Not the second click of a double one.
            const clicked = Date.now();
            tryVerify(() => Date.now() > clicked + Qt.styleHints.mouseDoubleClickInterval);
            mouseClick(split);
            tryCompare(list, "count", 2);
        }
        function test_targetIsChecked() {
            review();
            const importButton = findChild(sheet.contentItem, "import");
            const edge = importButton.mapToItem(sheet.contentItem, importButton.width, 0);
            verify(edge.x <= sheet.width);
            const target = findChild(sheet.contentItem, "target");
            verify(importButton.enabled || theSession.importing.targetProblem !== "");
            type(target, "/no/such/folder/out.trainscope");
            tryCompare(theSession.importing, "targetProblem", "There is no folder /no/such/folder.");
            verify(!importButton.enabled);
            verify(target.faulty);
            compare(findChild(sheet.contentItem, "targetNote").text, theSession.importing.targetProblem);
            mouseMove(importButton, importButton.width / 2, importButton.height / 2);
            const reason = findChild(importButton.parent, "importReason");
            tryVerify(() => reason.opened);
            compare(reason.text, theSession.importing.targetProblem);
        }
        function test_nothingRecognised() {
            theSession.openUrl(Qt.resolvedUrl("CMakeLists.txt"));
            tryCompare(theSession.importing, "stage", ImportController.Stage.Review);
            tryVerify(() => sheet.opened);
            compare(theSession.importing.unrecognised.count, 1);
            verify(!findChild(sheet.contentItem, "import").visible);
            verify(sheet.x >= 0 && sheet.y >= 0);
            verify(sheet.x + sheet.width <= 1024 && sheet.y + sheet.height <= 640);
            keyClick(Qt.Key_Escape);
            tryVerify(() => !sheet.visible);
            compare(theSession.importing.stage, ImportController.Stage.Idle);
        }
    }
}
