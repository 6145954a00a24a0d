import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// What happened to a saved comparison, and what can be done about it.
Rectangle {
    id: notice

    required property ComparisonController controller

    visible: notice.controller.notice !== ""
    height: visible ? row.implicitHeight + Theme.spaceS : 0
    color: Theme.raised
    Accessible.role: Accessible.AlertMessage
    Accessible.name: notice.controller.notice

    RowLayout {
        id: row

        anchors.left: parent.left
        anchors.right: parent.right
        anchors.leftMargin: Theme.spaceM
        anchors.rightMargin: Theme.spaceXs
        anchors.verticalCenter: parent.verticalCenter
        spacing: Theme.spaceS

        Icon {
            name: "info"
            color: Theme.textSecondary
        }
        UiText {
            Layout.fillWidth: true
            text: notice.controller.notice
            wrapMode: Text.Wrap
            elide: Text.ElideNone
        }
        UiButton {
            visible: text !== ""
            iconName: "undo"
            text: notice.controller.noticeAction
            onClicked: notice.controller.runNoticeAction()
        }
        UiIconButton {
            iconName: "close"
            text: qsTr("Dismiss")
            onClicked: notice.controller.dismissNotice()
        }
    }
}
