pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// The figures of each GPU over the selection.
Column {
    id: table

    required property GpuListModel gpus

    Layout.fillWidth: true
    spacing: Theme.spaceXs
    Accessible.role: Accessible.Table
    Accessible.name: qsTr("Figures per GPU")

    GpuTableRow {
        width: table.width
        head: true
        gpuName: qsTr("GPU")
        meanPower: qsTr("mean")
        peakPower: qsTr("peak")
        peakTemperature: qsTr("hottest")
        energy: qsTr("energy")
    }
    Repeater {
        model: table.gpus
        delegate: GpuTableRow {
            width: table.width
        }
    }
}
