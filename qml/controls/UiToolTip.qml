import QtQuick
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// A tool tip; `shortcut` is shown behind the text. Long lines are broken.
T.ToolTip {
    id: tip

    property string shortcut: ""

    x: parent ? Math.round((parent.width - width) / 2) : 0
    y: parent ? parent.height + Theme.spaceXs : 0
    margins: Theme.spaceXs
    padding: Theme.spaceS
    topPadding: Theme.spaceXs
    bottomPadding: Theme.spaceXs
    delay: Theme.toolTipDelay
    implicitWidth: contentItem.implicitWidth + leftPadding + rightPadding
    implicitHeight: contentItem.implicitHeight + topPadding + bottomPadding
    closePolicy: T.Popup.CloseOnEscape | T.Popup.CloseOnPressOutsideParent | T.Popup.CloseOnReleaseOutsideParent

    contentItem: Row {
        spacing: Theme.spaceS

        UiText {
            width: Math.min(implicitWidth, Theme.sheetWidth / 2)
            wrapMode: Text.Wrap
            text: tip.text
            font.pixelSize: Theme.secondarySize
        }
        UiNote {
            visible: tip.shortcut !== ""
            text: tip.shortcut
        }
    }
    background: UiRaised {}
}
