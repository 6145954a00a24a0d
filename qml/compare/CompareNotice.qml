import QtQuick
import Trainscope
import Trainscope.App

// What happened to a saved comparison, and what can be done about it.
UiNotice {
    id: notice

    required property ComparisonController controller

    visible: notice.text !== ""
    height: visible ? implicitHeight : 0
    text: notice.controller.notice

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
