pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// The last message, good or bad, above everything and in nobody's way: a popup, since a sheet keeps the pointer from
// all that is none.
T.Popup {
    id: banner

    required property Session session

    parent: T.Overlay.overlay
    z: 1
    x: parent ? Math.round((parent.width - width) / 2) : 0
    y: parent ? parent.height - Theme.statusBarHeight - Theme.spaceM - height : 0
    width: parent ? Math.min(parent.width - 2 * Theme.spaceXl, Theme.sheetWidth * 0.8) : 0
    height: implicitContentHeight
    visible: session.notices.count > 0
    closePolicy: T.Popup.NoAutoClose
    padding: 0

    // The delegates need the id below.
    // qmllint disable deferred-property-id
    contentItem: Column {
        spacing: Theme.spaceS

        Repeater {
            model: banner.session.notices
            delegate: UiNotice {
                id: notice

                required property int index
                required property string icon
                required text
                required where
                required severe
                required property bool undoable

                width: banner.width
                radius: Theme.radius
                border.width: Theme.hairline
                border.color: notice.severe ? Theme.warning : Theme.line
                iconName: notice.icon

                UiButton {
                    visible: notice.undoable
                    quiet: true
                    text: "Undo"
                    onClicked: banner.session.notices.undo(notice.index)
                }
                UiIconButton {
                    visible: notice.severe
                    iconName: "copy"
                    text: "Copy the message"
                    onClicked: banner.session.copyText(banner.session.notices.textOf(notice.index))
                }
                UiIconButton {
                    iconName: "close"
                    text: "Close the message"
                    onClicked: banner.session.notices.dismiss(notice.index)
                }
            }
        }
    }
}
