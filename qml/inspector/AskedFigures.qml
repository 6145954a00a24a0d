pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// A button that asks for a table, and the table below it.
ColumnLayout {
    id: asked

    required property AskedTable table
    required property bool available
    required property string question
    required property string toolTip
    required property string windowText

    Layout.fillWidth: true
    spacing: Theme.spaceXs
    visible: asked.available || asked.table.asked

    UiButton {
        checkable: true
        checked: asked.table.asked
        text: asked.question
        toolTip: asked.toolTip
        onToggled: asked.table.asked = checked
    }
    InspectorText {
        text: asked.table.text
    }
    InspectorHead {
        visible: asked.table.figures.count > 0
        text: "%1 · %2".arg(asked.table.figures.title).arg(asked.windowText)
    }
    FigureTable {
        table: asked.table.figures
    }
}
