import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// The facts of the shown run at the left, the keys worth knowing at the right.
UiBar {
    id: bar

    required property Session session
    signal keysWanted

    implicitHeight: Theme.statusBarHeight
    lower: true
    rightPadding: Theme.spaceM
    spacing: Theme.spaceL
    Accessible.role: Accessible.StatusBar
    Accessible.name: session.facts

    UiText {
        Layout.fillWidth: true
        text: bar.session.facts
        color: Theme.textSecondary
        font.pixelSize: Theme.smallSize
    }
    UiText {
        visible: bar.session.workspace.isOpen
        text: bar.session.places.keys
        color: Theme.textSecondary
        font.pixelSize: Theme.smallSize

        TapHandler {
            onTapped: bar.keysWanted()
        }
    }
}
