import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

UiSheet {
    id: sheet

    required property Session session
    property string runName: ""

    title: qsTr("Rename the run")
    preferredWidth: Theme.sheetWidth * 0.6
    preferredHeight: Theme.spaceXl * 8

    function ask(name: string) {
        sheet.runName = name;
        field.text = name;
        sheet.open();
        field.forceActiveFocus(Qt.PopupFocusReason);
        field.selectAll();
    }
    function accept() {
        sheet.session.renameRun(sheet.runName, field.text);
        sheet.close();
    }

    UiTextField {
        id: field

        anchors.left: parent.left
        anchors.right: parent.right
        anchors.margins: Theme.spaceL
        anchors.verticalCenter: parent.verticalCenter
        label: qsTr("Name of the run")
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
            primary: true
            enabled: field.text.trim() !== ""
            text: qsTr("Rename")
            onClicked: sheet.accept()
        }
    ]
}
