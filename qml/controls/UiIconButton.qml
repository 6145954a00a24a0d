import QtQuick
import Trainscope
import Trainscope.App

// A button that shows only an icon; `text` or `label` is its name for tool tip and screen reader.
UiPressable {
    id: button

    // Its menu is open and must not be covered.
    property bool menuOpen: false
    property color ink: button.checked ? Theme.text : Theme.textSecondary

    implicitWidth: Theme.controlHeight
    implicitHeight: Theme.controlHeight
    opacity: enabled ? 1 : 0.5

    contentItem: Item {
        Icon {
            anchors.centerIn: parent
            name: button.iconName
            color: button.hovered || button.visualFocus ? Theme.text : button.ink
        }
    }
    background: Rectangle {
        radius: Theme.radius
        color: button.down ? Theme.raised : button.hovered ? Theme.hovered : "transparent"

        UiFocusRing {
            control: button
        }
    }

    UiToolTip {
        wanted: !button.menuOpen && button.shown !== "" && (button.hovered || button.visualFocus)
        text: button.shown
        shortcut: button.shortcutText
    }
}
