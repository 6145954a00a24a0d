import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// The export dialog by keyboard: where the focus is, what Enter does, what an error says.
Item {
    id: window

    width: 1024
    height: 640

    Workspace {
        id: emptyWorkspace
    }
    TimelineController {
        id: controller

        workspace: emptyWorkspace
    }
    ExportDialog {
        id: sheet

        source: controller
        viewWidth: 700
        viewHeight: 500
    }

    TestCase {
        name: "ExportDialog"
        when: windowShown

        // The first visible item below `item` that passes.
        function find(item: var, passes: var): var {
            for (let i = 0; i < item.children.length; ++i) {
                const child = item.children[i];
                if (child.visible && passes(child))
                    return child;
                const found = find(child, passes);
                if (found)
                    return found;
            }
            return null;
        }
        function field(label: string): var {
            return find(sheet.contentItem, item => item.label === label && item.text !== undefined);
        }
        function choice(shown: string): var {
            return find(sheet.contentItem, item => item.displayText === shown && item.popup !== undefined);
        }
        function init() {
            sheet.open();
            tryVerify(() => sheet.opened);
        }
        function cleanup() {
            sheet.close();
            tryVerify(() => !sheet.visible);
        }

        function test_startsAtTheFormat() {
            const format = choice("PDF, vector");
            verify(format !== null);
            tryVerify(() => format.activeFocus);
            verify(format.visualFocus);
        }
        function test_escapeCloses() {
            keyClick(Qt.Key_Escape);
            tryVerify(() => !sheet.visible);
        }
        function test_suffixFollowsTheFormat() {
            tryVerify(() => field("File").text.endsWith(".pdf"));
            keyClick(Qt.Key_Down);
            tryVerify(() => field("File").text.endsWith(".svg"));
            keyClick(Qt.Key_Down);
            tryVerify(() => field("File").text.endsWith(".png"));
            verify(field("Dots per inch") !== null);
            keyClick(Qt.Key_Down);
            tryVerify(() => field("File").text.endsWith(".csv"));
            compare(field("Width in millimetres"), null);
            keyClick(Qt.Key_Home);
            tryVerify(() => field("File").text.endsWith(".pdf"));
        }
        function test_leavingAFieldKeepsThePreset() {
            const size = choice("Page, 7.0 in, as high as its content");
            verify(size !== null);
            size.forceActiveFocus();
            keyClick(Qt.Key_Home);
            tryCompare(field("Width in millimetres"), "text", "84.6");
            field("Width in millimetres").forceActiveFocus();
            keyClick(Qt.Key_Tab);
            keyClick(Qt.Key_Tab);
            compare(size.displayText, "Column, 3.33 × 2.0 in (ACM)");
            size.forceActiveFocus();
            for (let i = 0; i < 4; ++i)
                keyClick(Qt.Key_Down);
            compare(size.displayText, "Page, 7.0 in, as high as its content");
        }
        function test_widthTypedIsAnotherSize() {
            const width = field("Width in millimetres");
            compare(width.text, "177.8");
            width.forceActiveFocus();
            width.selectAll();
            keyClick(Qt.Key_9);
            keyClick(Qt.Key_0);
            keyClick(Qt.Key_Tab);
            tryCompare(width, "text", "90.0");
            verify(choice("Other size") !== null);
        }
        function test_enterExportsAndTellsTheError() {
            tryVerify(() => field("File").text !== "");
            keyClick(Qt.Key_Return);
            const isError = () => find(sheet.contentItem, item => item.Accessible.role === Accessible.AlertMessage && item.text !== "") !== null;
            tryVerify(isError, 10000);
            verify(sheet.opened);
        }
        function test_tabReachesEveryControl() {
            tryVerify(() => field("File").text !== "");
            const seen = [];
            for (let i = 0; i < 12; ++i) {
                const item = window.Window.window.activeFocusItem;
                seen.push(item.label || item.text);
                keyClick(Qt.Key_Tab);
            }
            for (const label of ["Format", "Size", "Width in millimetres", "Theme", "File", "Browse…", "Close", "Export"])
                verify(seen.includes(label), label + " is missing in " + seen);
        }
    }
}
