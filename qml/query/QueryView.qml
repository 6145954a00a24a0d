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
    QueryToolbar {
        id: toolbar

        width: parent.width
        controller: controller
        onRunWanted: controller.run(editor.wanted)
        onCopyWanted: view.session.copyText(controller.text())
        onExportWanted: chooser.open()
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
