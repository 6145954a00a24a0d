import QtQuick
import Trainscope
import Trainscope.App

// A notice about a saved comparison: what became of it, and what can be done.
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
        text: "Dismiss"
        onClicked: notice.controller.dismissNotice()
    }
}
