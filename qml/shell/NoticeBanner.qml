pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// What went wrong or was done, above everything and in nobody's way.
Column {
    id: banner

    required property Session session

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

            width: banner.width
            radius: Theme.radius
            border.width: Theme.hairline
            border.color: notice.severe ? Theme.warning : Theme.line
            iconName: notice.icon

            UiIconButton {
                visible: notice.severe
                iconName: "copy"
                text: qsTr("Copy the message")
                onClicked: banner.session.copyText(banner.session.notices.textOf(notice.index))
            }
            UiIconButton {
                iconName: "close"
                text: qsTr("Close the message")
                onClicked: banner.session.notices.dismiss(notice.index)
            }
        }
    }
}
