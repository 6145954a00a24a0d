pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// The table of runs, whose rows are chosen as in the list of runs, and the field in which tags and notes are edited.
UiTable {
    id: view

    required property RunsController controller
    required property string subject // the database

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
        if (plain && event.key === Qt.Key_T)
            view.edit(view.row, "tags");
        else if (plain && event.key === Qt.Key_N)
            view.edit(view.row, "note");
        else if (plain && event.key === Qt.Key_C)
            controller.open(Views.Compare);
        else if (plain && event.key === Qt.Key_S)
            controller.open(Views.Sweep);
        else if (plain && event.key === Qt.Key_H)
            controller.open(Views.Heatmap);
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

    RunsEditor {
        id: editor

        controller: view.controller
        subject: view.subject
        table: view
        onDone: view.enter()
    }
}
