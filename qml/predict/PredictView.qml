pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// A job that nobody has run: its form, and the board of what is predicted.
ViewPage {
    id: view

    readonly property alias controller: controller
    // Room for form, board and inspector beside each other.
    roomy: width >= Theme.runListWidth + 2 * Theme.inspectorWidth

    body: canvas
    inspector: FigureInspector {
        controller: controller
        hint: "Click a part of the figure for its numbers."
    }
    exportable: controller

    PredictController {
        id: controller

        views: view.session.views
        active: view.visible
    }
    InspectorPane {
        id: form

        implicitWidth: Theme.runListWidth
        width: view.roomy ? implicitWidth : Math.min(implicitWidth, view.width * 0.4)
        height: parent.height
        leading: true
        Accessible.name: "What is predicted"

        Repeater {
            model: controller.form
            delegate: UiFormField {
                Layout.fillWidth: true
                onEdited: text => controller.form.set(key, text)
                onMoved: place => controller.form.slide(key, place)
                onStepped: up => controller.form.step(key, up)
            }
        }
    }
    PredictToolbar {
        id: toolbar

        anchors.left: form.right
        anchors.right: parent.right
        controller: controller
    }
    FigureCanvas {
        id: canvas

        anchors.top: toolbar.bottom
        anchors.bottom: layouts.top
        anchors.left: form.right
        anchors.right: parent.right
        controller: controller
        focus: true
    }
    PredictRanking {
        id: layouts

        anchors.bottom: footer.top
        anchors.left: form.right
        anchors.right: parent.right
        height: visible ? Math.min(implicitHeight, view.height * 0.4) : 0
        visible: controller.ranked
        controller: controller
    }
    UiBar {
        id: footer

        anchors.bottom: parent.bottom
        anchors.left: form.right
        anchors.right: parent.right
        lower: true

        UiNote {
            Layout.fillWidth: true
            objectName: "verdict"
            wrapMode: Text.Wrap
            text: controller.rivalText !== "" ? controller.rivalText : controller.fault !== "" ? "Shown: %1".arg(controller.verdict) : controller.verdict
            visible: text !== ""
        }
        UiButton {
            objectName: "stopRival"
            visible: controller.rivalSearching
            text: "Stop"
            toolTip: "Stop comparing the clusters"
            onClicked: controller.stopRival()
        }
    }
}
