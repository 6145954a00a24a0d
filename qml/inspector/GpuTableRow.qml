import QtQuick
import Trainscope
import Trainscope.App

// One row: GPU, mean and peak power, highest temperature, energy.
Row {
    id: row

    required property string gpuName
    required property string meanPower
    required property string peakPower
    required property string peakTemperature
    required property string energy
    property bool head: false
    readonly property real cell: width / 5

    Accessible.role: Accessible.Row
    Accessible.name: qsTr("GPU %1: mean power %2, peak %3, hottest %4, energy %5").arg(gpuName).arg(meanPower).arg(peakPower).arg(peakTemperature).arg(energy)

    GpuTableCell {
        width: row.cell
        head: row.head
        horizontalAlignment: Text.AlignLeft
        text: row.gpuName
    }
    GpuTableCell {
        width: row.cell
        head: row.head
        text: row.meanPower
    }
    GpuTableCell {
        width: row.cell
        head: row.head
        text: row.peakPower
    }
    GpuTableCell {
        width: row.cell
        head: row.head
        text: row.peakTemperature
    }
    GpuTableCell {
        width: row.cell
        head: row.head
        text: row.energy
    }
}
