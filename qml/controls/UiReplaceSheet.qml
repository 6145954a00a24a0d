import QtQuick
import Trainscope
import Trainscope.App

// Asks whether a file that is there already may go. Not every dialog that chooses files asks itself.
UiSheet {
    id: sheet

    property url file
    property string name: ""
    signal replaced

    title: "Replace the file?"
    preferredWidth: Theme.sheetWidth * 0.6
    preferredHeight: Theme.spaceXl * 9

    function ask(which: url, called: string) {
        sheet.file = which;
        sheet.name = called;
        sheet.open();
        keep.forceActiveFocus(Qt.PopupFocusReason);
    }

    UiSentence {
        anchors.left: parent.left
        anchors.right: parent.right
        anchors.top: parent.top
        anchors.margins: Theme.spaceL
        text: "%1 is there already. Replacing it cannot be undone.".arg(sheet.name)
    }
    buttons: [
        UiButton {
            id: keep

            text: "Keep it"
            onClicked: sheet.close()
        },
        UiButton {
            primary: true
            text: "Replace"
            onClicked: {
                sheet.close();
                sheet.replaced();
            }
        }
    ]
}
