import QtQuick
import Trainscope
import Trainscope.App

// One of several pages to choose; with a `reason` it is dimmed, says why, and can be chosen all the same.
UiPressable {
    id: tab

    property string reason: ""

    implicitWidth: implicitContentWidth + leftPadding + rightPadding
    implicitHeight: Theme.controlHeight
    leftPadding: Theme.spaceM
    rightPadding: Theme.spaceM
    Accessible.role: Accessible.PageTab
    Accessible.description: reason
    Accessible.selected: checked

    contentItem: UiText {
        text: tab.text
        enabled: tab.reason === ""
        horizontalAlignment: Text.AlignHCenter
        verticalAlignment: Text.AlignVCenter
        color: tab.reason !== "" ? Theme.textMuted : tab.checked || tab.hovered ? Theme.text : Theme.textSecondary
    }
    background: Rectangle {
        radius: Theme.radius
        color: tab.checked ? Theme.raised : "transparent"

        UiFocusRing {
            control: tab
        }
    }

    UiToolTip {
        wanted: (tab.shortcutText !== "" || tab.reason !== "") && (tab.hovered || tab.visualFocus)
        text: tab.reason !== "" ? tab.reason : tab.text
        shortcut: tab.shortcutText
    }
}
