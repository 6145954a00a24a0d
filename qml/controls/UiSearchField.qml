import QtQuick
import Trainscope
import Trainscope.App

// A field that filters or finds, with its icon, the key that leads to it, and a button that empties it.
UiTextField {
    id: search

    property string keyHint: ""

    leftPadding: Theme.spaceXl + Theme.spaceXs
    rightPadding: Theme.spaceXl
    Keys.onEscapePressed: event => {
        event.accepted = text !== "";
        clear();
    }

    Icon {
        x: Theme.spaceS
        anchors.verticalCenter: parent.verticalCenter
        width: Theme.hitTarget / 2
        height: Theme.hitTarget / 2
        name: "search"
        color: Theme.textSecondary
    }
    UiNote {
        anchors.right: parent.right
        anchors.rightMargin: Theme.spaceS
        anchors.verticalCenter: parent.verticalCenter
        visible: search.text === "" && !search.activeFocus
        text: search.keyHint
        Accessible.ignored: true
    }
    UiIconButton {
        anchors.right: parent.right
        anchors.verticalCenter: parent.verticalCenter
        width: Theme.hitTarget
        height: Theme.hitTarget
        visible: search.text !== ""
        focusPolicy: Qt.NoFocus
        iconName: "close"
        text: "Clear"
        onClicked: search.clear()
    }
}
