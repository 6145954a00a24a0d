pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// Tables of the selection's work on GPUs and hosts, one under the other.
ColumnLayout {
    id: tables

    required property KernelFigures kernels
    property bool byCategory: false

    Layout.fillWidth: true
    spacing: Theme.spaceXs

    Row {
        visible: tables.kernels.isThere
        topPadding: Theme.spaceS
        spacing: Theme.spaceS

        UiButton {
            text: "Copy as text"
            onClicked: tables.kernels.copyAsText()
        }
        UiButton {
            text: "Copy as CSV"
            onClicked: tables.kernels.copyAsCsv()
        }
    }
    InspectorText {
        Layout.topMargin: Theme.spaceS
        text: tables.kernels.doing
    }
    InspectorText {
        text: tables.kernels.errorText
        color: Theme.warning
    }
    InspectorHead {
        visible: tables.kernels.times.count > 0
        text: tables.kernels.times.title
    }
    FigureTable {
        table: tables.kernels.times
    }
    InspectorHead {
        visible: tables.kernels.gpus.count > 0
        text: tables.kernels.gpus.title
    }
    FigureTable {
        table: tables.kernels.gpus
    }
    InspectorHead {
        visible: tables.kernels.names.count > 0
        text: "Kernels"
    }
    Row {
        visible: tables.kernels.names.count > 0
        spacing: Theme.spaceXs

        UiTab {
            text: "By name"
            checked: !tables.byCategory
            onClicked: tables.byCategory = false
        }
        UiTab {
            text: "By category"
            checked: tables.byCategory
            onClicked: tables.byCategory = true
        }
    }
    FigureTable {
        visible: !tables.byCategory && table.count > 0
        table: tables.kernels.names
    }
    FigureTable {
        visible: tables.byCategory && table.count > 0
        table: tables.kernels.categories
    }
    InspectorHead {
        visible: tables.kernels.collectives.count > 0
        text: tables.kernels.collectives.title
    }
    FigureTable {
        table: tables.kernels.collectives
    }
    InspectorHead {
        visible: tables.kernels.launches.count > 0
        text: tables.kernels.launches.title
    }
    FigureTable {
        table: tables.kernels.launches
    }
    InspectorHead {
        visible: tables.kernels.operators.count > 0
        text: tables.kernels.operators.title
    }
    FigureTable {
        table: tables.kernels.operators
    }
}
