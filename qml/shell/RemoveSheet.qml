import QtQuick
import Trainscope
import Trainscope.App

UiSheet {
    id: sheet

    required property Session session
    property string runName: ""

    title: "Remove the run?"
    subject: session.workspace.databasePath // elsewhere that name is another run
    preferredWidth: Theme.sheetWidth * 0.6
    preferredHeight: Theme.spaceXl * 10

    function ask(name: string) {
        sheet.runName = name;
        sheet.open();
        keep.forceActiveFocus(Qt.PopupFocusReason);
    }

    UiText {
        anchors.fill: parent
        anchors.margins: Theme.spaceL
        wrapMode: Text.Wrap
        text: "%1 and all its samples, kernels and reports leave this database. This cannot be undone; the files that it was imported from stay as they are.".arg(sheet.runName)
    }
    buttons: [
        UiButton {
            id: keep

            text: "Keep it"
            onClicked: sheet.close()
        },
        UiButton {
            primary: true
            text: "Remove"
            onClicked: {
                sheet.session.removeRun(sheet.runName);
                sheet.close();
            }
        }
    ]
}
