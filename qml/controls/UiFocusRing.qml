import QtQuick
import QtQuick.Templates as T
import Trainscope.App

// Shown around the control that has the keyboard, a button only where keys led to it; put it into the control's background.
Rectangle {
    id: ring

    required property Item control

    anchors.fill: parent
    anchors.margins: -Theme.hairline * 2
    visible: (ring.control as T.Control)?.visualFocus ?? ring.control.activeFocus
    color: "transparent"
    radius: Theme.radius + Theme.hairline * 2
    border.color: Theme.accent
    border.width: Theme.hairline * 2
}
