import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// The sheet of keys lists every key and closes with Esc.
Item {
    width: 1024
    height: 640

    KeysSheet {
        id: sheet
    }

    TestCase {
        name: "KeysSheet"
        when: windowShown

        function test_opensAndCloses() {
            sheet.open();
            tryVerify(() => sheet.opened);
            verify(KeyMap.rowCount() > 20);
            keyClick(Qt.Key_Escape);
            tryVerify(() => !sheet.visible);
        }
        function test_hints() {
            compare(KeyMap.hint("open"), "Ctrl+O");
            compare(KeyMap.sequences("search"), ["/", "Ctrl+F"]);
            compare(KeyMap.hint("manual"), "F1");
            compare(KeyMap.sequences("no such key"), []);
        }
    }
}
