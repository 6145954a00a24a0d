pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// What went wrong or was done, above everything and in nobody's way.
Column {
    id: banner

    required property Session session

    spacing: Theme.spaceS

    Repeater {
        model: banner.session.notices

        Rectangle {
            id: notice

            required property int index
            required property string text
            required property string where
            required property bool severe
            required property string icon

            width: banner.width
            implicitHeight: row.implicitHeight + 2 * Theme.spaceS
            radius: Theme.radius
            color: Theme.raised
            border.width: Theme.hairline
            border.color: notice.severe ? Theme.warning : Theme.line
            Accessible.role: Accessible.AlertMessage
            Accessible.name: notice.where === "" ? notice.text : qsTr("%1. %2").arg(notice.text).arg(notice.where)

            RowLayout {
                id: row

                anchors.left: parent.left
                anchors.right: parent.right
                anchors.leftMargin: Theme.spaceM
                anchors.rightMargin: Theme.spaceXs
                anchors.verticalCenter: parent.verticalCenter
                spacing: Theme.spaceM

                Icon {
                    name: notice.icon
                    color: notice.severe ? Theme.warning : Theme.text
                }
                ColumnLayout {
                    spacing: Theme.spaceXs / 2

                    UiText {
                        Layout.fillWidth: true
                        text: notice.text
                        wrapMode: Text.Wrap
                    }
                    UiNote {
                        Layout.fillWidth: true
                        visible: text !== ""
                        text: notice.where
                        wrapMode: Text.WrapAnywhere
                    }
                }
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
}
