import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// The view of queries without a database: editor, keys, examples, and its tools inside the window.
Item {
    id: root

    width: 800 - Theme.runListWidth
    height: 520

    Session {
        id: theSession
    }
    QueryView {
        id: view

        anchors.fill: parent
        session: theSession
    }

    TestCase {
        name: "QueryView"
        when: windowShown

        function init() {
            const editor = findChild(view, "editor");
            editor.text = "";
            view.inspectorOpen = false;
        }
        function test_toolsAreInside_data() {
            return [{tag: "run"}, {tag: "copy"}, {tag: "exportCsv"}, {tag: "chart"}];
        }
        function test_toolsAreInside(data) {
            const control = findChild(view, data.tag);
            verify(control && control.visible);
            const corner = control.mapToItem(root, control.width, control.height);
            verify(corner.x <= root.width, data.tag + " ends at " + corner.x);
            verify(control.width >= Theme.hitTarget);
        }
        function test_toolsWaitForAnAnswer() {
            verify(!findChild(view, "run").enabled);
            findChild(view, "editor").text = "SELECT 1";
            verify(findChild(view, "run").enabled);
            verify(!findChild(view, "copy").enabled);
            verify(!findChild(view, "exportCsv").enabled);
        }
        function test_theBodyIsTheEditor() {
            view.body.forceActiveFocus();
            const editor = findChild(view, "editor");
            tryVerify(() => editor.activeFocus);
            keyClick(Qt.Key_S);
            keyClick(Qt.Key_1);
            compare(editor.text, "s1");
            keyClick(Qt.Key_Z, Qt.ControlModifier);
            verify(editor.text !== "s1");
        }
        // Text from outside the editor can be undone in it.
        function test_insertedTextCanBeUndone() {
            const editor = findChild(view, "editor");
            editor.text = "";
            view.body.replaceAll("SELECT ");
            view.body.insertName("rank");
            compare(editor.text, "SELECT rank");
            editor.undo();
            editor.undo();
            verify(editor.text !== "SELECT rank");
        }
        function test_aSelectedPartIsWhatIsAsked() {
            const editor = findChild(view, "editor");
            editor.text = "SELECT 1;\nSELECT 2";
            compare(view.body.wanted, "SELECT 1;\nSELECT 2");
            editor.select(10, 18);
            compare(view.body.wanted, "SELECT 2");
        }
        function test_tabLeavesTheEditor() {
            view.body.forceActiveFocus();
            const editor = findChild(view, "editor");
            keyClick(Qt.Key_Tab);
            verify(!editor.activeFocus);
            compare(editor.text, "");
        }
        function test_examplesFillTheEditor() {
            view.ask("SELECT name FROM run");
            compare(findChild(view, "editor").text, "SELECT name FROM run");
        }
        function test_thePanelOpens() {
            verify(!view.inspector.visible);
            view.inspectorOpen = true;
            verify(view.inspector.visible && view.inspector.width > 0);
        }
    }
}
