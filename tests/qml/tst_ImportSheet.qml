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
