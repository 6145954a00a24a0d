import QtQuick
import Trainscope
import Trainscope.App

// Runs side by side: tools, what happened, the board, and its inspector.
ViewPage {
    id: view

    body: canvas
    inspector: FigureInspector {
        controller: controller
    }
    exportable: controller

    ComparisonController {
        id: controller

        views: view.session.views
        active: view.visible
    }
    CompareToolbar {
        id: toolbar

        width: parent.width
        controller: controller
        onCopyWanted: view.session.copyText(controller.text)
    }
    // About a saved comparison: what became of it, and what can be done.
    UiNotice {
        id: notice

        anchors.top: toolbar.bottom
        width: parent.width
        visible: notice.text !== ""
        height: visible ? implicitHeight : 0
        text: controller.notice

        UiButton {
            visible: text !== ""
            iconName: "undo"
            text: controller.noticeAction
            onClicked: controller.runNoticeAction()
        }
        UiIconButton {
            iconName: "close"
            text: "Dismiss"
            onClicked: controller.dismissNotice()
        }
    }
    FigureCanvas {
        id: canvas

        anchors.top: notice.bottom
        anchors.bottom: parent.bottom
        width: parent.width
        controller: controller
        focus: true
        onScrollChanged: controller.scroll = canvas.scroll
        Accessible.description: controller.ready ? controller.text : controller.emptyText
    }
    Connections {
        target: controller

        function onScrollWanted() {
            canvas.scrollTo(controller.scroll);
        }
    }
}
