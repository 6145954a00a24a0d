pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// Tables of the selection's work on GPUs and hosts, one under the other.
Column {
    id: tables

    required property KernelFigures kernels
    required property string windowText // "over the selected 12.3 s"
    property bool byCategory: false
    readonly property int mostRows: 8

    Layout.fillWidth: true
    spacing: Theme.spaceXs

    InspectorText {
        width: tables.width
        topPadding: Theme.spaceS
        text: tables.kernels.doing
    }
    InspectorText {
        width: tables.width
        text: tables.kernels.errorText
        color: Theme.warning
    }
    InspectorTable {
        width: tables.width
        table: tables.kernels.times
        over: tables.windowText
    }
    InspectorTable {
        width: tables.width
        table: tables.kernels.gpus
        over: tables.windowText
        most: tables.mostRows
    }
    InspectorHead {
        width: tables.width
        height: implicitHeight + Theme.spaceS
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
        width: tables.width
        visible: !tables.byCategory && table.count > 0
        table: tables.kernels.names
        most: tables.mostRows
    }
    FigureTable {
        width: tables.width
        visible: tables.byCategory && table.count > 0
        table: tables.kernels.categories
    }
    InspectorTable {
        width: tables.width
        table: tables.kernels.collectives
        over: tables.windowText
    }
    InspectorTable {
        width: tables.width
        table: tables.kernels.launches
        over: tables.windowText
    }
    InspectorTable {
        width: tables.width
        table: tables.kernels.operators
        over: tables.windowText
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
