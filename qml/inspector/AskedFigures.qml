pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// A button that asks for tables, and the tables below it.
ColumnLayout {
    id: asked

    required property AskedTables modelData
    required property string windowText

    Layout.fillWidth: true
    spacing: Theme.spaceXs
    visible: asked.modelData.available || asked.modelData.asked

    UiButton {
        checkable: true
        checked: asked.modelData.asked
        text: asked.modelData.question
        toolTip: asked.modelData.tip
        onToggled: asked.modelData.asked = checked
    }
    InspectorText {
        text: asked.modelData.text
    }
    Repeater {
        model: asked.modelData.tables
        delegate: InspectorTable {
            required property TableModel modelData

            table: modelData
            over: asked.modelData.ofWholeRuns ? "over the whole run" : asked.windowText
        }
    }
}
