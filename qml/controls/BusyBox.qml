import QtQuick
import Trainscope
import Trainscope.App

// Long work with its way out. Shown only when it takes long: quick reads would flicker.
Rectangle {
    id: box

    required property bool busy
    required property string text
    required property real progress
    signal cancelWanted

    width: column.width + 2 * Theme.spaceL
    height: column.height + 2 * Theme.spaceM
    visible: patience.isLong
    color: Theme.panel
    border.color: Theme.line
    radius: Theme.radius

    Column {
        id: column

        anchors.centerIn: parent
        spacing: Theme.spaceS

        UiText {
            width: bar.width
            text: box.text
            color: Theme.textSecondary
        }
        UiProgressBar {
            id: bar

            fraction: box.progress
        }
        UiButton {
            anchors.right: parent.right
            text: "Cancel"
            onClicked: box.cancelWanted()
        }
    }
    UiPatience {
        id: patience

        busy: box.busy
    }
}
