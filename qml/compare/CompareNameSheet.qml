import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// The name of a comparison: a new one, or another one for what is open.
UiSheet {
    id: sheet

    required property ComparisonController controller
    property bool renaming: false
    readonly property bool taken: sheet.controller.isTaken(field.text) && field.text.trim() !== sheet.controller.savedName

    title: sheet.renaming ? qsTr("Rename the comparison") : qsTr("Save the comparison")
    subtitle: sheet.taken ? sheet.renaming ? qsTr("There is a comparison of that name.") : qsTr("Replaces the comparison of that name.") : qsTr("The runs, settings, panels and the theme are kept in the database.")
    preferredWidth: Theme.sheetWidth * 0.6
    preferredHeight: Theme.spaceXl * 9

    function ask(rename: bool) {
        sheet.renaming = rename;
        field.text = sheet.controller.savedName;
        sheet.open();
        field.forceActiveFocus(Qt.PopupFocusReason);
        field.selectAll();
    }
    function accept() {
        if (!done.enabled)
            return;
        if (sheet.renaming)
            sheet.controller.renameSaved(field.text);
        else
            sheet.controller.saveAs(field.text);
        sheet.close();
    }

    UiTextField {
        id: field

        objectName: "comparisonName"
        anchors.left: parent.left
        anchors.right: parent.right
        anchors.margins: Theme.spaceL
        anchors.verticalCenter: parent.verticalCenter
        label: qsTr("Name of the comparison")
        faulty: sheet.renaming && sheet.taken
        onAccepted: sheet.accept()
    }
    buttons: [
        Item {
            Layout.fillWidth: true
        },
        UiButton {
            text: qsTr("Cancel")
            onClicked: sheet.close()
        },
        UiButton {
            id: done

            primary: true
            enabled: field.text.trim() !== "" && !(sheet.renaming && sheet.taken)
            text: sheet.renaming ? qsTr("Rename") : qsTr("Save")
            onClicked: sheet.accept()
        }
    ]
}
