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
            compare(KeyMap.rowCount(), keyRows.length); // qmllint disable unqualified
            keyClick(Qt.Key_Escape);
            tryVerify(() => !sheet.visible);
        }
        function test_nothingIsShortened() {
            sheet.open();
            tryVerify(() => sheet.opened);
            const list = findChild(sheet.contentItem, "keysList");
            for (let row = 0; row < list.count; ++row) {
                list.positionViewAtIndex(row, ListView.Contain);
                const line = list.itemAtIndex(row);
                verify(line, "row " + row);
                for (let i = 0; i < line.children.length; ++i)
                    verify(!line.children[i].truncated, line.action);
            }
            sheet.close();
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
