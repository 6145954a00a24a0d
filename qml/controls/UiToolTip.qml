pragma ComponentBehavior: Bound

import QtQml.Models
import QtQuick
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// A tool tip of the item that it stands in, made while it is wanted: tables have thousands of cells that could show one. `shortcut`
// is shown behind the text. Long lines are broken.
Item {
    id: tip

    property bool wanted: false
    property string text: ""
    property string shortcut: ""
    property int delay: Theme.toolTipDelay
    // x in a wide item at which its tip begins; below 0: its middle.
    property real pointerX: -1
    readonly property bool opened: made.object !== null && (made.object as T.ToolTip).opened

    visible: false // layouts give it no room

    Instantiator {
        id: made

        active: tip.wanted && tip.Window.window !== null // a row that is reused has none
        delegate: T.ToolTip {
            parent: tip.parent
            x: Math.round(tip.pointerX < 0 && parent ? (parent.width - width) / 2 : tip.pointerX)
            y: parent ? parent.height + Theme.spaceXs : 0
            margins: Theme.spaceXs
            padding: Theme.spaceS
            topPadding: Theme.spaceXs
            bottomPadding: Theme.spaceXs
            delay: tip.delay
            text: tip.text
            implicitWidth: (contentItem as UiToolTipContent).usedWidth + leftPadding + rightPadding
            implicitHeight: contentItem.implicitHeight + topPadding + bottomPadding
            closePolicy: T.Popup.CloseOnEscape | T.Popup.CloseOnPressOutsideParent | T.Popup.CloseOnReleaseOutsideParent
            Component.onCompleted: open()

            contentItem: UiToolTipContent {
                text: tip.text
                shortcut: tip.shortcut
            }
            background: UiRaised {}
        }
    }
}
