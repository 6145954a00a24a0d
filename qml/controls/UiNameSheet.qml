import QtQuick
import Trainscope
import Trainscope.App

// Asks for a name: ask() begins with one, named() tells the one that was chosen.
UiSheet {
    id: sheet

    property string label: ""
    property string doneText: ""
    property bool faulty: false // such a name cannot be taken
    property alias name: field.text
    property alias fieldName: field.objectName
    signal named

    preferredWidth: Theme.sheetWidth * 0.6
    preferredHeight: Theme.hitTarget * 9

    function ask(name: string) {
        field.text = name;
        sheet.open();
        field.forceActiveFocus(Qt.PopupFocusReason);
        field.selectAll();
    }
    function accept() {
        if (!done.enabled)
            return;
        sheet.named();
        sheet.close();
    }

    UiTextField {
        id: field

        anchors.left: parent.left
        anchors.right: parent.right
        anchors.margins: Theme.spaceL
        anchors.verticalCenter: parent.verticalCenter
        label: sheet.label
        faulty: sheet.faulty
        onAccepted: sheet.accept()
    }
    buttons: [
        UiButton {
            text: "Cancel"
            onClicked: sheet.close()
        },
        UiButton {
            id: done

            primary: true
            enabled: field.text.trim() !== "" && !sheet.faulty
            text: sheet.doneText
            onClicked: sheet.accept()
        }
    ]
}
