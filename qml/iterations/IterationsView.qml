pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// The iterations of a run: a picture above the rows, each selecting in the other; at the side one against the
// median, or two against each other.
ViewPage {
    id: view

    body: table
    exportable: controller
    inspector: FigureInspector {
        controller: controller
        hint: "Click a point or a row to see it against the median; Ctrl+click or Shift+↓ compares a second one with it."
        selected: controller.comparison
        openText: controller.comparison !== "" ? "Show on the timeline" : ""

        InspectorText {
            width: parent.width
            color: Theme.text
            text: controller.comparisonText
        }
        InspectorText {
            width: parent.width
            text: controller.waits
        }
    }

    IterationsController {
        id: controller

        objectName: "iterationsController"
        views: view.session.views
        active: view.visible
    }
    SettingsBar {
        id: toolbar

        width: parent.width
        height: settings.count > 0 ? implicitHeight : 0
        visible: height > 0
        name: "Iterations"

        Repeater {
            id: settings

            model: controller.settings
            delegate: FigureSetting {
                onChosen: choice => controller.choose(key, choice)
            }
        }
    }
    T.SplitView {
        id: split

        anchors.top: toolbar.bottom
        anchors.bottom: parent.bottom
        width: parent.width
        orientation: Qt.Vertical
        visible: controller.ready
        handle: QueryHandle {
            onMoved: by => canvas.T.SplitView.preferredHeight = canvas.height + by
        }

        FigureCanvas {
            id: canvas

            T.SplitView.preferredHeight: split.height * 0.55
            T.SplitView.minimumHeight: 4 * Theme.controlHeight
            controller: controller
            quiet: true
        }
        UiTable {
            id: table

            T.SplitView.fillHeight: true
            T.SplitView.minimumHeight: 4 * Theme.controlHeight
            table: controller.rows
            name: "Iterations"
            current: controller.row
            focus: true
            onMoved: (row, ranging) => controller.pick(row, ranging)
            onPicked: (row, modifiers) => controller.pick(row, (modifiers & (Qt.ControlModifier | Qt.ShiftModifier)) !== 0)
            onOpened: controller.openSelected()
            onCopyWanted: row => view.session.copyText(controller.rows.text(row, 1))
        }
    }
    ReadingState {
        anchors.top: toolbar.bottom
        anchors.bottom: parent.bottom
        width: parent.width
        controller: controller
        emptyTitle: controller.emptyText
        below: controller.ready
        hidden: controller.ready
    }
}
