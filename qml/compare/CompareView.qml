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
    FigureCanvas {
        id: canvas

        anchors.top: toolbar.bottom
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
