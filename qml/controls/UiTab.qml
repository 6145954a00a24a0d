import QtQuick
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// One of several pages to choose; with a `reason` it is dimmed, says why, and can be chosen all the same.
T.Button {
    id: tab

    property string shortcutText: ""
    property string reason: ""

    implicitWidth: implicitContentWidth + leftPadding + rightPadding
    implicitHeight: Theme.controlHeight
    leftPadding: Theme.spaceM
    rightPadding: Theme.spaceM
    focusPolicy: Qt.StrongFocus
    Keys.onReturnPressed: tab.clicked()
    Keys.onEnterPressed: tab.clicked()
    Accessible.role: Accessible.PageTab
    Accessible.name: text
    Accessible.description: reason
    Accessible.selected: checked
    Accessible.onPressAction: tab.clicked()

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
            visible: tab.visualFocus
        }
    }

    UiToolTip {
        wanted: (tab.shortcutText !== "" || tab.reason !== "") && (tab.hovered || tab.visualFocus)
        text: tab.reason !== "" ? tab.reason : tab.text
        shortcut: tab.shortcutText
    }
}
