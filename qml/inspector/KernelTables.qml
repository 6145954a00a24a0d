pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// Tables of the selection's work on GPUs and hosts, one under the other.
ColumnLayout {
    id: tables

    required property KernelFigures kernels
    required property string windowText // "over the selected 12.3 s"
    property bool byCategory: false
    readonly property int mostRows: 8

    Layout.fillWidth: true
    spacing: Theme.spaceXs

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
        text: "%1 · %2".arg(tables.kernels.times.title).arg(tables.windowText)
    }
    FigureTable {
        table: tables.kernels.times
    }
    InspectorHead {
        visible: tables.kernels.gpus.count > 0
        text: "%1 · %2".arg(tables.kernels.gpus.title).arg(tables.windowText)
    }
    FigureTable {
        table: tables.kernels.gpus
        most: tables.mostRows
    }
    InspectorHead {
        visible: tables.kernels.names.count > 0
        text: "Kernels · %1".arg(tables.windowText)
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
        most: tables.mostRows
    }
    FigureTable {
        visible: tables.byCategory && table.count > 0
        table: tables.kernels.categories
    }
    InspectorHead {
        visible: tables.kernels.collectives.count > 0
        text: "%1 · %2".arg(tables.kernels.collectives.title).arg(tables.windowText)
    }
    FigureTable {
        table: tables.kernels.collectives
    }
    InspectorHead {
        visible: tables.kernels.launches.count > 0
        text: "%1 · %2".arg(tables.kernels.launches.title).arg(tables.windowText)
    }
    FigureTable {
        table: tables.kernels.launches
    }
    InspectorHead {
        visible: tables.kernels.operators.count > 0
        text: "%1 · %2".arg(tables.kernels.operators.title).arg(tables.windowText)
    }
    FigureTable {
        table: tables.kernels.operators
        most: tables.mostRows
    }
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
}
