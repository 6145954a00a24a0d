import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// The manual opens at a place, is searched by typing, and is read with the keys.
Item {
    width: 1024
    height: 640

    ManualSheet {
        id: sheet
    }

    TestCase {
        name: "ManualSheet"
        when: windowShown

        function init() {
            sheet.show("");
            tryVerify(() => sheet.opened);
        }
        function cleanup() {
            sheet.close();
            tryVerify(() => !sheet.visible);
        }
        function part(name) {
            const item = findChild(sheet.contentItem, name);
            verify(item, name);
            return item;
        }
        function type(text) {
            for (const letter of text)
                keyClick(letter);
        }
        function test_opensAtATopic() {
            sheet.show("heatmap");
            const page = part("manualPage");
            compare(page.controller.title, "Figures");
            tryVerify(() => page.contentY > 0);
            sheet.show("timeline");
            compare(page.controller.title, "Timeline");
            tryCompare(page, "contentY", 0);
        }
        function test_typingSearches() {
            tryVerify(() => part("manualSearch").activeFocus);
            type("median");
            const list = part("manualEntries");
            tryVerify(() => list.count > 1);
            const page = part("manualPage");
            keyClick(Qt.Key_Return);
            compare(page.controller.current, 0);
            keyClick(Qt.Key_Down);
            compare(page.controller.current, 1);
            keyClick(Qt.Key_Escape); // empties the field
            compare(part("manualSearch").text, "");
            verify(sheet.opened);
            keyClick(Qt.Key_Escape);
            tryVerify(() => !sheet.visible);
        }
        function test_pageKeysScroll() {
            sheet.show("numbers");
            const page = part("manualPage");
            tryVerify(() => page.contentHeight > 2 * page.height);
            waitForRendering(page); // it has found its place
            compare(page.contentY, 0);
            keyClick(Qt.Key_PageDown);
            const once = page.contentY;
            verify(once > 0);
            keyClick(Qt.Key_PageUp);
            compare(page.contentY, 0);
        }
        function test_backAndForward() {
            const page = part("manualPage");
            const first = page.controller.title;
            page.controller.open("keys");
            compare(page.controller.title, "Keys");
            keyClick(Qt.Key_Left, Qt.AltModifier);
            compare(page.controller.title, first);
            keyClick(Qt.Key_Right, Qt.AltModifier);
            compare(page.controller.title, "Keys");
            mouseClick(part("manualBack"));
            compare(page.controller.title, first);
        }
        function test_aClickOpensAnEntry() {
            const list = part("manualEntries");
            tryVerify(() => list.itemAtIndex(2) !== null);
            mouseClick(list.itemAtIndex(2));
            compare(list.currentIndex, 2);
        }
    }
}
