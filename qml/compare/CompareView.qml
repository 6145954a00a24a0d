import QtQuick
import Trainscope
import Trainscope.App

// Runs side by side: tools, what happened, the board, and its inspector.
ViewPage {
    id: view

    kind: Views.Compare
    body: canvas
    inspector: panel
    exportable: controller
    Accessible.role: Accessible.Pane
    Accessible.name: "Compare"

    ComparisonController {
        id: controller

        views: view.session.views
        active: view.visible
    }
    CompareToolbar {
        id: toolbar

        anchors.left: parent.left
        anchors.right: panel.left
        controller: controller
        onCopyWanted: view.session.copyText(controller.text)
    }
    CompareNotice {
        id: notice

        anchors.top: toolbar.bottom
        anchors.left: parent.left
        anchors.right: panel.left
        controller: controller
    }
    FigureCanvas {
        id: canvas

        anchors.top: notice.bottom
        anchors.bottom: parent.bottom
        anchors.left: parent.left
        anchors.right: panel.left
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
    FigureInspector {
        id: panel

        anchors.right: parent.right
        width: visible ? implicitWidth : 0
        height: parent.height
        visible: view.inspectorOpen
        controller: controller
    }
}
