pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// Beside the query: examples, the tables with their columns, and what was asked before.
InspectorPane {
    id: panel

    required property QueryController controller
    signal askWanted(string sql)
    signal recallWanted(string sql)
    signal nameWanted(string name)

    Accessible.name: "Examples, tables and history"

    InspectorHead {
        text: "Examples"
    }
    Repeater {
        model: panel.controller.examples
        delegate: QueryLine {
            required property string title
            required property string sql

            Layout.fillWidth: true
            label: title
            tip: sql
            onClicked: panel.askWanted(sql)
        }
    }
    InspectorHead {
        text: "Tables"
    }
    InspectorText {
        text: "A click puts the name into the query."
    }
    Repeater {
        model: panel.controller.schema
        delegate: RowLayout {
            id: schemaLine

            required property int index
            required property string name
            required property string type
            required property string help
            required property bool isTable
            required property bool open

            Layout.fillWidth: true
            spacing: 0

            UiIconButton {
                visible: schemaLine.isTable
                Layout.preferredWidth: Theme.hitTarget
                Layout.preferredHeight: Theme.hitTarget
                iconName: schemaLine.open ? "chevronDown" : "chevronRight"
                text: schemaLine.open ? "Hide the columns" : "Show the columns"
                onClicked: panel.controller.schema.toggle(schemaLine.index)
            }
            QueryLine {
                Layout.fillWidth: true
                label: schemaLine.name
                note: schemaLine.type
                tip: schemaLine.help
                strong: schemaLine.isTable
                indent: schemaLine.isTable ? 0 : Theme.hitTarget
                onClicked: panel.nameWanted(schemaLine.name)
            }
        }
    }
    RowLayout {
        Layout.fillWidth: true
        visible: panel.controller.history.count > 0

        InspectorHead {
            text: "History"
        }
        UiIconButton {
            iconName: "trash"
            text: "Clear the history"
            onClicked: panel.controller.clearHistory()
        }
    }
    Repeater {
        model: panel.controller.history
        delegate: QueryLine {
            required property string line
            required property string sql
            required property string outcome

            Layout.fillWidth: true
            label: line
            tip: sql + "\n" + outcome
            onClicked: panel.recallWanted(sql)
        }
    }
}
