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
    InspectorTable {
        table: tables.kernels.times
        over: tables.windowText
    }
    InspectorTable {
        table: tables.kernels.gpus
        over: tables.windowText
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
    InspectorTable {
        table: tables.kernels.collectives
        over: tables.windowText
    }
    InspectorTable {
        table: tables.kernels.launches
        over: tables.windowText
    }
    InspectorTable {
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
