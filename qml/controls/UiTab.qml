import QtQuick
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// One view of the top bar.
T.Button {
    id: tab

    property string shortcutText: ""

    implicitWidth: implicitContentWidth + leftPadding + rightPadding
    implicitHeight: Theme.controlHeight
    leftPadding: Theme.spaceM
    rightPadding: Theme.spaceM
    focusPolicy: Qt.StrongFocus
    Keys.onReturnPressed: tab.clicked()
    Keys.onEnterPressed: tab.clicked()
    Accessible.role: Accessible.PageTab
    Accessible.name: text
    Accessible.selected: checked
    Accessible.onPressAction: tab.clicked()

    contentItem: UiText {
        text: tab.text
        horizontalAlignment: Text.AlignHCenter
        verticalAlignment: Text.AlignVCenter
        color: tab.checked || tab.hovered ? Theme.text : Theme.textSecondary
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
        wanted: tab.shortcutText !== "" && (tab.hovered || tab.visualFocus)
        text: tab.text
        shortcut: tab.shortcutText
    }
}
