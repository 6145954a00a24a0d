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
        text: bar.session.views.view === Views.Timeline ? "W S zoom   A D pan   F fit   M mark   ? keys" : bar.session.views.view === Views.Layout ? "Arrows choose   Space play   Enter timeline   ? keys" : bar.session.views.view === Views.Query ? "Ctrl+Enter run   Esc stop   F1 manual" : bar.session.views.view === Views.Overview ? "Arrows choose   Enter opens what proves it   ? keys" : "Arrows choose   Enter timeline   ? keys"
        color: Theme.textSecondary
        font.pixelSize: Theme.smallSize

        TapHandler {
            onTapped: bar.keysWanted()
        }
    }
}
