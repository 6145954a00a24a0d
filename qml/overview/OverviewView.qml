import QtQuick
import QtQuick.Layouts
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
    UiBar {
        id: footer

        anchors.bottom: parent.bottom
        width: parent.width
        lower: true
        height: visible ? implicitHeight : 0
        visible: controller.caption !== ""

        UiNote {
            Layout.fillWidth: true
            wrapMode: Text.Wrap
            text: controller.caption
            Accessible.role: Accessible.StaticText
            Accessible.name: text
        }
    }
}
