pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Dialogs
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// SQL over the database: the editor above its answer, as a table and as a chart of two columns, and
// beside them examples, tables and what was asked before.
ViewPage {
    id: view

    body: editor
    inspector: QueryPanel {
        controller: controller
        onAskWanted: sql => view.ask(sql)
        onRecallWanted: sql => editor.replaceAll(sql)
        onNameWanted: name => editor.insertName(name)
    }
    exportable: controller

    // Into the editor and asked at once.
    function ask(sql: string) {
        editor.replaceAll(sql);
        controller.run(sql);
    }

    QueryController {
        id: controller

        views: view.session.views
        active: view.visible
        onSqlRestored: editor.restore(sql)
        onReplaceWanted: (file, name) => replaceSheet.ask(file, name)
    }
    // Runs and stops the query, and says what becomes of its answer.
    SettingsBar {
        id: toolbar

        width: parent.width
        name: "Query"

        UiButton {
            objectName: "run"
            visible: !controller.loading
            primary: true
            iconName: "play"
            text: "Run"
            toolTip: "Ask what is in the editor, or what is selected there"
            shortcutText: KeyMap.hint("queryRun")
            enabled: controller.sql !== ""
            onClicked: controller.run(editor.wanted)
        }
        UiButton {
            objectName: "stop"
            visible: controller.loading || controller.exporting
            iconName: "close"
            text: "Stop"
            toolTip: "Stop the query"
            shortcutText: KeyMap.hint("queryStop")
            onClicked: controller.stop()
        }
        UiButton {
            objectName: "copy"
            iconName: "copy"
            text: "Copy"
            toolTip: "Copy the table, tab-separated"
            enabled: controller.table.count > 0
            onClicked: view.session.copyText(controller.text())
        }
        UiButton {
            objectName: "exportCsv"
            iconName: "export"
            text: "Export CSV"
            toolTip: "Ask again and write every row to a file"
            enabled: controller.answered && !controller.exporting
            onClicked: chooser.open()
        }
        UiButton {
            objectName: "chart"
            iconName: "chart"
            text: "Chart"
            toolTip: "Draw two columns of numbers against each other"
            choice: true
            checked: controller.chartShown
            onClicked: controller.chartShown = !controller.chartShown
        }
        Repeater {
            model: controller.settings
            delegate: FigureSetting {
                onChosen: choice => controller.choose(key, choice)
            }
        }
    }
    T.SplitView {
        id: split

        anchors.top: toolbar.bottom
        anchors.bottom: parent.bottom
        width: parent.width
        orientation: Qt.Vertical
        handle: QueryHandle {
            objectName: "divider"
            onMoved: by => editor.T.SplitView.preferredHeight = editor.height + by
        }

        QueryEditor {
            id: editor

            T.SplitView.preferredHeight: split.height * 0.3
            T.SplitView.minimumHeight: 3 * Theme.controlHeight
            controller: controller
            focus: true
        }
        QueryAnswer {
            T.SplitView.fillHeight: true
            T.SplitView.minimumHeight: 4 * Theme.controlHeight
            controller: controller
            onCopyWanted: row => view.session.copyText(controller.textOf(row, 1))
            onAskWanted: sql => view.ask(sql)
        }
    }
    UiReplaceSheet {
        id: replaceSheet

        home: view
        onAgreed: controller.exportCsv(file, true)
    }
    UiFileDialog {
        id: chooser

        place: view
        title: "Export CSV"
        fileMode: FileDialog.SaveFile
        defaultSuffix: "csv"
        nameFilters: ["CSV (*.csv)"]
        onAccepted: controller.exportCsv(selectedFile)
    }
}
