pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// The call tree of a run: its picture above its rows, each selecting in the other, and what is selected at the side.
ViewPage {
    id: view

    body: table
    inspector: FigureInspector {
        controller: controller
        hint: "Click a frame in the picture or a row for its numbers and kernels; double click it for its longest kernel on the timeline."
        selected: controller.rowTitle
        facts: controller.rowFacts
        openText: controller.openable ? controller.timelineText : ""
        shown: controller.listed

        InspectorTable {
            table: controller.kernels
        }
        InspectorTable {
            table: controller.otherKernels
        }
    }
    exportable: controller
    Keys.onPressed: event => event.accepted = view.handleKey(event)

    function focusSearch() {
        toolbar.focusSearch();
    }
    function handleKey(event) {
        if (event.modifiers !== Qt.NoModifier)
            return false;
        if (event.key === Qt.Key_Z)
            controller.zoom();
        else if (event.key === Qt.Key_U)
            controller.showWhole();
        else
            return false;
        return true;
    }

    OperatorsController {
        id: controller

        objectName: "operatorsController"
        views: view.session.views
        active: view.visible
    }
    OperatorsToolbar {
        id: toolbar

        width: parent.width
        controller: controller
        onCopyWanted: text => view.session.copyText(text)
        onLeaveWanted: table.forceActiveFocus(Qt.TabFocusReason)
    }
    T.SplitView {
        id: split

        anchors.top: toolbar.bottom
        anchors.bottom: parent.bottom
        width: parent.width
        orientation: Qt.Vertical
        visible: controller.listed
        handle: QueryHandle {
            onMoved: by => canvas.T.SplitView.preferredHeight = canvas.height + by
        }

        FigureCanvas {
            id: canvas

            T.SplitView.preferredHeight: split.height * 0.5
            T.SplitView.minimumHeight: 4 * Theme.controlHeight
            controller: controller
            quiet: true
        }
        UiTable {
            id: table

            T.SplitView.fillHeight: true
            T.SplitView.minimumHeight: 4 * Theme.controlHeight
            table: controller.rows
            name: "Frames"
            current: controller.row
            tree: true
            focus: true
            onMoved: row => controller.selectRow(row)
            onPicked: row => controller.selectRow(row)
            onUnfoldWanted: row => controller.toggle(row)
            onFoldWanted: folds => folds ? controller.fold() : controller.unfold()
            onOpened: row => controller.openRow(row)
            onCopyWanted: row => view.session.copyText(controller.rows.text(row, 1))
        }
    }
    ReadingState {
        anchors.top: toolbar.bottom
        anchors.bottom: parent.bottom
        width: parent.width
        controller: controller
        emptyTitle: controller.emptyText
        below: controller.listed
        hidden: controller.listed
    }
}
