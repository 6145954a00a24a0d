import QtQuick
import Trainscope
import Trainscope.App

// A push button with text and, if it has one, an icon before it. `primary` marks the one that
// Enter presses, `menu` adds the arrow of a menu button, `quiet` leaves the frame away.
UiPressable {
    id: button

    property string toolTip: ""
    property bool primary: false
    property bool menu: false
    property bool quiet: false
    readonly property color ink: !enabled ? Theme.textMuted : primary ? Theme.onAccent : Theme.text

    implicitWidth: Math.max(Theme.hitTarget, implicitContentWidth + leftPadding + rightPadding)
    implicitHeight: Theme.controlHeight
    leftPadding: Theme.spaceM
    rightPadding: Theme.spaceM
    opacity: enabled ? 1 : 0.6
    Accessible.description: toolTip

    contentItem: UiButtonContent {
        text: button.shown
        iconName: button.iconName
        menu: button.menu
        ink: button.ink
    }
    background: Rectangle {
        radius: Theme.radius
        color: button.primary ? (button.down ? Theme.text : Theme.accent) : (button.down || button.checked) ? Theme.raised : button.hovered ? Theme.hovered : "transparent"
        border.width: button.primary || button.quiet ? 0 : Theme.hairline
        border.color: button.checked ? Theme.accent : button.hovered ? Theme.outline : Theme.line

        UiFocusRing {
            control: button
            visible: button.visualFocus
        }
    }

    UiToolTip {
        wanted: button.toolTip !== "" && (button.hovered || button.visualFocus)
        text: button.toolTip
        shortcut: button.shortcutText
    }
}
