import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// Wrong, empty and large files come in through the window, are stopped and are taken back.
RealTest {
    id: test

    name: "ImportTasks"

    function init() {
        openWindow();
        test.session.closeDatabase();
        tryVerify(() => !test.session.workspace.isOpen, 30000);
    }
    function begin(address) {
        while (test.session.notices.count > 0)
            test.session.notices.dismiss(0);
        test.session.openUrl(address);
        tryVerify(() => test.stage() === ImportController.Stage.Review || test.session.notices.count > 0, 60000);
    }
    function stage(): int {
        return test.session.importing.stage;
    }
    function runCount(): int {
        const list = findChild(test.window.contentItem, "runList");
        return list ? list.count : 0;
    }
    // Imports what is reviewed into a new database.
    function importIt(name: string) {
        test.session.importing.setTarget(realData.folder("into", "", "") + `/${name}.trainscope`); // qmllint disable unqualified
        click("import");
        tryVerify(() => test.stage() === ImportController.Stage.Finished, 120000);
        click("done");
        tryVerify(() => test.session.workspace.isOpen, 60000);
        settle();
    }
    function test_anEmptyFolderSaysSo() {
        const empty = realData.folder("empty", "", ""); // qmllint disable unqualified
        begin(empty);
        tryVerify(() => test.shown("There is nothing in"), 30000);
        picture("empty");
        verify(item("Choose another").visible);
        verify(test.window.activeFocusItem === item("Choose another"));
        click("Choose another");
        compare(test.clicks, 1);
        keyClick(Qt.Key_Escape);
        keyClick(Qt.Key_Escape);
        tryCompare(test.session.importing, "stage", ImportController.Stage.Idle, 30000);
    }
    function test_aWrongFileSaysWhatItIs() {
        begin(realData.folder("wrong", "notes.md", "# Notes\n")); // qmllint disable unqualified
        tryVerify(() => test.shown("can be read as a run."), 30000);
        tryVerify(() => test.shown("documentation, not telemetry"), 30000);
        picture("wrong");
        click("Cancel");
        tryCompare(test.session.importing, "stage", ImportController.Stage.Idle, 30000);
        verify(!test.session.workspace.isOpen);
    }
    function test_anImportIsTakenBack() {
        begin(source("h100_recording/phases"));
        importIt("undone");
        compare(runCount(), 1);
        tryVerify(() => test.shown("1 run added."), 30000);
        picture("added");
        click("Undo");
        tryVerify(() => runCount() === 0, 30000);
        verify(!test.session.hasImports);
        // The next goes beside it, and by the key.
        begin(source("h100_recording/phases"));
        importIt("undone");
        compare(runCount(), 1);
        show(Views.Overview).body.forceActiveFocus();
        keyClick(Qt.Key_Z, Qt.ControlModifier);
        tryVerify(() => runCount() === 0, 30000);
    }
    function test_whatWasThereStays() {
        begin(source("h100_recording/phases"));
        importIt("kept");
        begin(source("h100_recording"));
        verify(test.session.importing.useOpen);
        click("import");
        tryVerify(() => test.stage() === ImportController.Stage.Finished, 120000);
        click("done");
        tryVerify(() => test.shown("2 runs added. 1 run there before got more"), 30000);
        tryVerify(() => runCount() === 3, 30000);
        test.session.undoImport();
        tryVerify(() => runCount() === 1, 30000);
        verify(test.session.hasImports);
    }
    function test_aLargeImportStops() {
        begin(source("kineto"));
        test.session.importing.setTarget(realData.folder("into", "", "") + "/stopped.trainscope"); // qmllint disable unqualified
        click("import");
        tryVerify(() => test.stage() === ImportController.Stage.Importing, 30000);
        click("Cancel");
        tryVerify(() => test.stage() !== ImportController.Stage.Importing, 30000);
        if (test.stage() === ImportController.Stage.Finished)
            click("done");
    }
}
