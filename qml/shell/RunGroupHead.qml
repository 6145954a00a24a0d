import QtQuick
import Trainscope
import Trainscope.App

// The head of a group of runs: folds it, tells how many it has, and chooses it whole.
Item {
    id: head

    required property string label
    required property bool folded
    required property int membersState
    required property string membersText
    signal wholeWanted

    implicitHeight: Theme.controlHeight + Theme.spaceXs

    Icon {
        id: chevron

        x: Theme.spaceM
        anchors.verticalCenter: parent.verticalCenter
        width: Theme.iconSize
        height: Theme.iconSize
        name: head.folded ? "chevronRight" : "chevronDown"
        color: Theme.textSecondary
    }
    UiText {
        anchors.left: chevron.right
        anchors.right: number.left
        anchors.leftMargin: Theme.spaceXs
        anchors.rightMargin: Theme.spaceS
        anchors.verticalCenter: parent.verticalCenter
        text: head.label
        elide: Text.ElideMiddle
        font.weight: Font.Medium
    }
    UiNote {
        id: number

        anchors.right: whole.left
        anchors.rightMargin: Theme.spaceXs
        anchors.verticalCenter: parent.verticalCenter
        text: head.membersText
    }
    UiCheckBox {
        id: whole

        anchors.right: parent.right
        anchors.rightMargin: Theme.spaceM
        anchors.verticalCenter: parent.verticalCenter
        focusPolicy: Qt.NoFocus
        label: "All runs of %1".arg(head.label)
        checkState: head.membersState
        // The model says what it becomes.
        nextCheckState: () => checkState
        onClicked: head.wholeWanted()
    }
}
