import QtQuick
import QtQuick.Dialogs
import Trainscope
import Trainscope.App

// The dialogs that choose files.
Item {
    id: dialogs

    required property Session session
    property alias database: openDialog
    property alias files: filesDialog
    property alias folder: folderDialog
    property alias target: targetDialog

    // Asks where the report goes, with a name to begin with.
    function saveReport() {
        reportDialog.currentFile = dialogs.session.maintenance.reportFile();
        reportDialog.open();
    }

    // The same of the page that zooms.
    function savePage() {
        pageDialog.currentFile = dialogs.session.maintenance.pageFile();
        pageDialog.open();
    }

    UiFileDialog {
        id: openDialog

        place: dialogs
        title: "Open a run database"
        nameFilters: ["Run databases (*.trainscope)", "All files (*)"]
        onAccepted: dialogs.session.openUrl(selectedFile)
    }
    UiFileDialog {
        id: filesDialog

        place: dialogs
        title: "Import files"
        fileMode: FileDialog.OpenFiles
        onAccepted: dialogs.session.openUrls(selectedFiles)
    }
    UiKeysWatch {
        place: dialogs
        open: folderDialog.visible
        onLeft: folderDialog.close()
    }
    FolderDialog {
        id: folderDialog

        title: "Import a folder"
        onAccepted: dialogs.session.openUrls([selectedFolder])
    }
    UiFileDialog {
        id: reportDialog

        place: dialogs
        title: "Save the report"
        fileMode: FileDialog.SaveFile
        defaultSuffix: selectedNameFilter.index === 2 ? "html" : "pdf"
        nameFilters: dialogs.session.maintenance.reportForms()
        onAccepted: dialogs.session.maintenance.writeReport(selectedFile, selectedNameFilter.index)
    }
    UiFileDialog {
        id: pageDialog

        place: dialogs
        title: "Save the web page"
        fileMode: FileDialog.SaveFile
        defaultSuffix: "html"
        nameFilters: ["Web page (*.html)"]
        onAccepted: dialogs.session.maintenance.writePage(selectedFile)
    }
    UiReplaceSheet {
        id: replaceSheet

        property int form: 0

        subject: dialogs.session.workspace.databasePath
        onAgreed: dialogs.session.maintenance.writeReport(file, form, true)
    }
    Connections {
        target: dialogs.session.maintenance

        function onReplaceWanted(file: url, name: string, form: int) {
            replaceSheet.form = form;
            replaceSheet.ask(file, name);
        }
    }
    UiFileDialog {
        id: targetDialog

        place: dialogs
        title: "Database that takes the runs"
        fileMode: FileDialog.SaveFile
        defaultSuffix: "trainscope"
        nameFilters: ["Run databases (*.trainscope)"]
        onAccepted: dialogs.session.importing.setTarget(selectedFile)
    }
}
