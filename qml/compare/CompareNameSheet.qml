import QtQuick
import Trainscope
import Trainscope.App

// The name of a comparison: a new one, or another one for what is open.
UiNameSheet {
    id: sheet

    required property ComparisonController controller
    property bool renaming: false
    readonly property bool taken: sheet.controller.isTaken(sheet.name) && sheet.name.trim() !== sheet.controller.savedName

    title: sheet.renaming ? "Rename the comparison" : "Save the comparison"
    subtitle: sheet.taken ? sheet.renaming ? "There is a comparison of that name." : "Replaces the comparison of that name." : "The runs, settings, panels and the theme are kept in the database."
    label: "Name of the comparison"
    doneText: sheet.renaming ? "Rename" : "Save"
    fieldName: "comparisonName"
    faulty: sheet.renaming && sheet.taken
    onNamed: sheet.renaming ? sheet.controller.renameSaved(sheet.name) : sheet.controller.saveAs(sheet.name)

    function askFor(rename: bool) {
        sheet.renaming = rename;
        sheet.ask(sheet.controller.savedName);
    }
}
