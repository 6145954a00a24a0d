import QtQuick
import Trainscope
import Trainscope.App

// Asks before something is done: put() opens it, agreed() tells consent.
UiSheet {
    id: sheet

    property string question: ""
    property string refusalText: "Cancel"
    property string consentText: ""
    signal agreed

    preferredWidth: Theme.sheetWidth * 0.6
    preferredHeight: sentence.implicitHeight + Theme.hitTarget * 5

    function put() {
        sheet.open();
        refusal.forceActiveFocus(Qt.PopupFocusReason);
    }

    UiSentence {
        id: sentence

        x: Theme.spaceL
        y: Theme.spaceL
        width: sheet.width - 2 * Theme.spaceL
        text: sheet.question
    }
    buttons: [
        UiButton {
            id: refusal

            text: sheet.refusalText
            onClicked: sheet.close()
        },
        UiButton {
            primary: true
            text: sheet.consentText
            onClicked: {
                sheet.close();
                sheet.agreed();
            }
        }
    ]
}
