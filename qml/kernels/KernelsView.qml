pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// The kernels of a run, or what called them: a picture above the rows, each selecting in the other, and what is
// selected at the side.
ViewPage {
    id: view

    body: table
    inspector: FigureInspector {
        controller: controller
        hint: "Click a frame in the picture or a row for its numbers and kernels, and for the step if it took another time; double click it for its longest kernel on the timeline."
        selected: controller.rowTitle
        facts: controller.rowFacts
        openText: controller.openable ? controller.timelineText : ""
        shown: controller.listed

        InspectorHead {
            width: parent.width
            visible: controller.changeable
            text: "A step if it took"
        }
        RowLayout {
            width: parent.width
            visible: controller.changeable
            spacing: Theme.spaceS

            UiSlider {
                objectName: "kernelsChange"
                Layout.fillWidth: true
                from: 0
                to: 2
                stepSize: 0.05
                label: "Factor of its time"
                place: controller.factor
                onChosen: place => controller.factor = place
            }
            UiNote {
                text: controller.factorText
            }
        }
        InspectorText {
            width: parent.width
            text: controller.changeText
        }
        InspectorTable {
            width: parent.width
            table: controller.kernels
        }
        InspectorTable {
            width: parent.width
            table: controller.otherKernels
        }
    }
    exportable: controller
    Keys.onPressed: event => event.accepted = view.handleKey(event)

    function focusSearch() {
        search.forceActiveFocus(Qt.ShortcutFocusReason);
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

        objectName: "kernelsController"
        views: view.session.views
        active: view.visible
    }
    // Controls of the rows, of their search and of their drawing.
    SettingsBar {
        id: toolbar

        width: parent.width
        name: "Kernels"

        UiSearchField {
            id: search

            objectName: "kernelsSearch"
            width: Theme.runListWidth * 0.75
            placeholderText: "Search"
            label: "Search frames by words of their names and inputs"
            keyHint: "/"
            text: controller.search
            onTextChanged: controller.search = text
            Keys.onDownPressed: table.forceActiveFocus(Qt.TabFocusReason)
            Keys.onReturnPressed: table.forceActiveFocus(Qt.TabFocusReason)
        }
        UiIconButton {
            id: copy

            objectName: "kernelsCopy"
            iconName: "copy"
            text: "Copy"
            enabled: controller.listed
            menuOpen: menu.visible
            onClicked: menu.popup(copy, 0, copy.height)
        }
        UiNote {
            height: Theme.controlHeight
            verticalAlignment: Text.AlignVCenter
            visible: text !== ""
            text: controller.foundText
        }
        Repeater {
            model: controller.settings
            delegate: FigureSetting {
                onChosen: choice => controller.choose(key, choice)
            }
        }
        ViewOptions {
            settings: controller.looks
            onChosen: (key, choice) => controller.choose(key, choice)
        }
        UiButton {
            objectName: "kernelsZoom"
            enabled: controller.zoomable || controller.zoomed
            text: controller.zoomed ? "Whole tree" : "Zoom to frame"
            toolTip: controller.zoomed ? "The flame graph of everything" : "The selected frame fills the flame graph"
            shortcutText: controller.zoomed ? KeyMap.hint("kernelsWhole") : KeyMap.hint("kernelsZoom")
            onClicked: controller.zoomed ? controller.showWhole() : controller.zoom()
        }
        UiMenu {
            id: menu

            title: "Copy"

            UiMenuItem {
                text: "Rows as text"
                onTriggered: view.session.copyText(controller.rows.text())
            }
            UiMenuItem {
                text: "Rows as CSV"
                onTriggered: view.session.copyText(controller.csv())
            }
        }
    }
    // Idle and host stand in the same bar as what the GPUs do.
    Column {
        id: step

        anchors.top: toolbar.bottom
        x: Theme.spaceS
        width: parent.width - 2 * Theme.spaceS
        visible: controller.listed && controller.stepTitle !== ""
        height: visible ? implicitHeight : 0
        topPadding: Theme.spaceS
        spacing: Theme.spaceXs

        UiText {
            objectName: "stepTitle"
            text: controller.stepTitle
            font.weight: Font.DemiBold
        }
        Row {
            Repeater {
                model: controller.stepParts
                delegate: Rectangle {
                    id: part

                    required property var modelData

                    objectName: "stepPart"
                    width: modelData.share * step.width
                    height: Theme.controlHeight
                    color: modelData.color

                    UiText {
                        anchors.fill: parent
                        leftPadding: Theme.spaceXs
                        verticalAlignment: Text.AlignVCenter
                        visible: implicitWidth <= part.width
                        text: part.modelData.name
                        color: part.modelData.ink
                        font.pixelSize: Theme.secondarySize
                        Accessible.ignored: true
                    }
                    UiToolTip {
                        wanted: over.hovered
                        text: part.modelData.tip
                    }
                    HoverHandler {
                        id: over
                    }
                }
            }
        }
    }
    T.SplitView {
        id: split

        anchors.top: step.bottom
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
