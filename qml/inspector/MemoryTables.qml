pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// Memory of PyTorch's allocator: a button that asks for it, and its tables below.
ColumnLayout {
    id: tables

    required property MemoryFigures memory
    required property bool available

    Layout.fillWidth: true
    spacing: Theme.spaceXs
    visible: tables.available || tables.memory.asked

    UiButton {
        checkable: true
        checked: tables.memory.asked
        text: "What memory held"
        toolTip: "What lived when most was allocated, by use, size and calls, beside the predicted need; and what iterations allocate"
        onToggled: tables.memory.asked = checked
    }
    InspectorText {
        text: tables.memory.text
    }
    Repeater {
        model: [tables.memory.devices, tables.memory.uses, tables.memory.live, tables.memory.steps]

        ColumnLayout {
            id: part

            required property TableModel modelData

            Layout.fillWidth: true
            spacing: Theme.spaceXs
            visible: part.modelData.count > 0

            InspectorHead {
                text: "%1 · over the whole run".arg(part.modelData.title)
            }
            FigureTable {
                table: part.modelData
            }
        }
    }
}
