import QtQuick
import Trainscope
import Trainscope.App

// The overview of the chosen run: a page of sentences; a click on one opens what proves it.
ViewPage {
    id: view

    body: canvas
    exportable: controller

    OverviewController {
        id: controller

        views: view.session.views
        active: view.visible
    }
    FigureCanvas {
        id: canvas

        anchors.top: parent.top
        anchors.bottom: footer.top
        width: parent.width
        controller: controller
        quiet: controller.ready // the page says what is still being read
        framed: false
        focus: true
    }
    CaptionBar {
        id: footer

        anchors.bottom: parent.bottom
        width: parent.width
        height: visible ? implicitHeight : 0
        visible: controller.caption !== ""
        text: controller.caption
    }
}
