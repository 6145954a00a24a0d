import QtQuick
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// A small field for a mark's label. Enter takes it, Escape leaves it.
T.Popup {
    id: popup

    required property string label
    signal accepted(string label)

    padding: Theme.spaceS
    focus: true
    implicitWidth: contentItem.implicitWidth + leftPadding + rightPadding
    implicitHeight: contentItem.implicitHeight + topPadding + bottomPadding

    UiPopupHome {
        guest: popup
    }

    contentItem: UiTextField {
        focus: true
        text: popup.label
        onVisibleChanged: selectAll()
        label: qsTr("Label of the mark")
        onAccepted: {
            popup.accepted(text);
            popup.close();
        }
    }
    background: UiRaised {}
}
