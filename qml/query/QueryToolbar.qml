pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// Runs and stops the query, and says what becomes of its answer.
SettingsBar {
    id: bar

    required property QueryController controller
    signal runWanted
    signal copyWanted
    signal exportWanted

    name: "Query"

    UiButton {
        objectName: "run"
        visible: !bar.controller.loading
        primary: true
        iconName: "play"
        text: "Run"
        toolTip: "Ask what is in the editor, or what is selected there"
        shortcutText: KeyMap.hint("queryRun")
        enabled: bar.controller.sql !== ""
        onClicked: bar.runWanted()
    }
    UiButton {
        objectName: "stop"
        visible: bar.controller.loading || bar.controller.exporting
        iconName: "close"
        text: "Stop"
        toolTip: "Stop the query"
        shortcutText: KeyMap.hint("queryStop")
        onClicked: bar.controller.stop()
    }
    UiButton {
        objectName: "copy"
        iconName: "copy"
        text: "Copy"
        toolTip: "Copy the table, tab-separated"
        enabled: bar.controller.table.count > 0
        onClicked: bar.copyWanted()
    }
    UiButton {
        objectName: "exportCsv"
        iconName: "export"
        text: "Export CSV"
        toolTip: "Ask again and write every row to a file"
        enabled: bar.controller.answered && !bar.controller.exporting
        onClicked: bar.exportWanted()
    }
    UiButton {
        objectName: "chart"
        iconName: "chart"
        text: "Chart"
        toolTip: "Draw two columns of numbers against each other"
        choice: true
        checked: bar.controller.chartShown
        onClicked: bar.controller.chartShown = !bar.controller.chartShown
    }
    Repeater {
        model: bar.controller.settings
        delegate: FigureSetting {
            onChosen: choice => bar.controller.choose(key, choice)
        }
    }
}
