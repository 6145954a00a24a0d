import QtQuick

// Asks whether a file that is there already may go. Not every dialog that chooses files asks itself.
UiQuestionSheet {
    id: sheet

    property url file
    property string name: ""

    title: "Replace the file?"
    question: "%1 is there already. Replacing it cannot be undone.".arg(sheet.name)
    refusalText: "Keep it"
    consentText: "Replace"

    function ask(which: url, called: string) {
        sheet.file = which;
        sheet.name = called;
        sheet.put();
    }
}
