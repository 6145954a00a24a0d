import QtQuick
import Trainscope
import Trainscope.App

// The field over a cell of the table in which its tags or its note are edited. Enter and leaving it
// take the text, Esc does not.
UiTextField {
    id: editor

    required property RunsController controller
    required property UiTable table
    property int row: -1
    required property string subject // the database; elsewhere the run is another one
    property string begunIn: ""
    property real run: 0
    property string key: ""
    signal done

    objectName: "labelEditor"
    visible: row >= 0
    x: Math.max(0, Math.min(parent.width - width, controller.table.heads.leftOf(key) - table.scrolled))
    y: table.topOf(row)
    width: Math.max(Theme.spaceXl * 8, controller.table.heads.widthOf(key))
    height: Theme.hitTarget
    label: key === "tags" ? "Tags, separated by commas" : "Note"
    placeholderText: label

    function begin(at: int, which: string) {
        row = at;
        begunIn = subject;
        run = controller.runIdAt(at);
        key = which;
        text = controller.labelText(at, which);
        forceActiveFocus(Qt.OtherFocusReason);
        selectAll();
    }
    function end(taken: bool) {
        if (row < 0)
            return;
        row = -1;
        if (taken && begunIn === subject)
            controller.setLabel(run, key, text);
        done();
    }

    Connections {
        target: editor.controller

        function onTableChanged() {
            const at = editor.controller.rowOf(editor.run);
            if (editor.row >= 0 && at < 0)
                editor.end(true);
            else if (editor.row >= 0)
                editor.row = at;
        }
    }

    onAccepted: end(true)
    onActiveFocusChanged: {
        if (!activeFocus)
            end(true);
    }
    Keys.onEscapePressed: end(false)
}
