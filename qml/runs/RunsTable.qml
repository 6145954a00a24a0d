pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// The table of runs, whose rows are chosen as in the list of runs, and the field in which tags and notes are edited.
UiTable {
    id: view

    required property RunsController controller
    required property string subject // the database
    // Other views that show the chosen runs, from how many on: for the buttons, the menu and the keys.
    readonly property var ways: [
        {view: Views.Timeline, name: "toTimeline", title: "Timeline", tip: "The chosen runs on the timeline", command: "Show on the timeline", keys: "tableTimeline", least: 1},
        {view: Views.Compare, name: "toCompare", title: "Compare", tip: "The chosen runs side by side", command: "Compare", keys: "tableCompare", key: Qt.Key_C, least: 2},
        {view: Views.Sweep, name: "toSweep", title: "Sweep", tip: "The chosen runs as a sweep", command: "Sweep", keys: "tableSweep", key: Qt.Key_S, least: 1},
        {view: Views.Heatmap, name: "toHeatmap", title: "Heat map", tip: "The chosen runs as a heat map", command: "Heat map", keys: "tableHeatmap", key: Qt.Key_H, least: 1}
    ]

    table: controller.table
    name: "Table of runs"
    current: 0
    textSize: Theme.bodySize
    checkable: true
    onMoved: (row, ranging) => {
        view.current = Math.max(0, row);
        if (ranging)
            controller.chooseRange(row);
        else
            controller.beginRange(row);
    }
    onPicked: (row, modifiers) => {
        view.current = row;
        if (modifiers & Qt.ShiftModifier)
            controller.chooseRange(row, (modifiers & Qt.ControlModifier) !== 0);
        else if (modifiers & Qt.ControlModifier)
            controller.toggle(row);
        else
            controller.chooseOnly(row);
    }
    onToggled: row => controller.toggle(row)
    onOpened: (row, key) => {
        if (key !== "")
            view.edit(row, key);
        else
            controller.open(Views.Timeline);
    }
    onMenuWanted: row => view.current = row
    Keys.onSpacePressed: controller.toggle(view.row)
    Keys.onMenuPressed: view.menuWanted(view.row)
    Keys.onPressed: event => event.accepted = view.handleOther(event)

    function edit(row: int, key: string) {
        if (row < 0)
            return;
        controller.showColumn(key);
        view.current = row;
        view.showRow(row);
        view.showColumn(key);
        editor.begin(row, key);
    }
    function handleOther(event) {
        const plain = event.modifiers === Qt.NoModifier;
        const way = plain ? view.ways.find(way => way.key === event.key) : undefined;
        if (plain && event.key === Qt.Key_T)
            view.edit(view.row, "tags");
        else if (plain && event.key === Qt.Key_N)
            view.edit(view.row, "note");
        else if (way)
            controller.open(way.view);
        else if (event.matches(StandardKey.SelectAll))
            controller.chooseAll();
        else if (event.matches(StandardKey.Undo))
            controller.undo();
        else if (event.matches(StandardKey.Redo))
            controller.redo();
        else
            return false;
        return true;
    }

    // Over a cell, for its tags or its note. Enter and leaving it take the text, Esc does not.
    UiTextField {
        id: editor

        property int row: -1
        property string begunIn: "" // the database; elsewhere the run is another one
        property real run: 0
        property string key: ""

        objectName: "labelEditor"
        visible: row >= 0
        x: Math.max(0, Math.min(parent.width - width, view.controller.table.heads.leftOf(key) - view.scrolled))
        y: view.topOf(row)
        width: Math.max(Theme.hitTarget * 8, view.controller.table.heads.widthOf(key))
        height: Theme.hitTarget
        label: key === "tags" ? "Tags, separated by commas" : "Note"
        placeholderText: label

        function begin(at: int, which: string) {
            row = at;
            begunIn = view.subject;
            run = view.controller.runIdAt(at);
            key = which;
            text = view.controller.labelText(at, which);
            forceActiveFocus(Qt.OtherFocusReason);
            selectAll();
        }
        function end(taken: bool) {
            if (row < 0)
                return;
            row = -1;
            if (taken && begunIn === view.subject)
                view.controller.setLabel(run, key, text);
            view.enter();
        }

        Connections {
            target: view.controller

            function onTableChanged() {
                const at = view.controller.rowOf(editor.run);
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
}
