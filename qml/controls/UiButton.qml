import QtQuick
import Trainscope
import Trainscope.App

// A push button with text and, if it has one, an icon before it. `primary` marks the one that
// Enter presses, `menu` adds the arrow of a menu button, `quiet` leaves the frame away. A `choice` is on while it is
// `checked`, by what it stands for: a press alone does not change it.
UiPressable {
    id: button

    property string toolTip: ""
    property bool primary: false
    property bool menu: false
    property bool quiet: false
    property bool choice: false
    readonly property color ink: !enabled ? Theme.textMuted : primary ? Theme.onAccent : Theme.text

    implicitWidth: Math.max(Theme.hitTarget, implicitContentWidth + leftPadding + rightPadding)
    implicitHeight: Theme.controlHeight
    leftPadding: Theme.spaceM
    rightPadding: Theme.spaceM
    opacity: enabled ? 1 : 0.6
    Accessible.description: toolTip
    Accessible.role: choice ? Accessible.CheckBox : Accessible.Button
    Accessible.checkable: choice || checkable
    Accessible.checked: checked

    contentItem: Content {
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
        }
    }

    UiToolTip {
        wanted: button.toolTip !== "" && (button.hovered || button.visualFocus)
        text: button.toolTip
        shortcut: button.shortcutText
    }

    // Icon, text and menu arrow, centred; the text is cut where the button is narrow.
    component Content: Item {
        id: content

        required property string text
        required property string iconName
        required property bool menu
        required property color ink
        readonly property real besides: (iconName !== "" ? Theme.iconSize + Theme.spaceS : 0) + (menu ? Theme.hitTarget / 2 + Theme.spaceS : 0)

        implicitWidth: label.implicitWidth + besides
        implicitHeight: row.implicitHeight

        Row {
            id: row

            anchors.centerIn: parent
            spacing: Theme.spaceS

            Icon {
                visible: content.iconName !== ""
                name: content.iconName
                color: content.ink
                anchors.verticalCenter: parent.verticalCenter
            }
            UiText {
                id: label

                width: Math.min(implicitWidth, content.width - content.besides)
                text: content.text
                color: content.ink
                anchors.verticalCenter: parent.verticalCenter
            }
            Icon {
                visible: content.menu
                name: "chevronDown"
                color: content.ink
                width: Theme.hitTarget / 2
                height: Theme.hitTarget / 2
                anchors.verticalCenter: parent.verticalCenter
            }
        }
    }
}
