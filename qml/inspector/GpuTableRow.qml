pragma ComponentBehavior: Bound

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

    Accessible.role: Accessible.Row
    Accessible.name: qsTr("GPU %1: mean power %2, peak %3, hottest %4, energy %5").arg(gpuName).arg(meanPower).arg(peakPower).arg(peakTemperature).arg(energy)

    Repeater {
        model: [row.gpuName, row.meanPower, row.peakPower, row.peakTemperature, row.energy]
        delegate: UiText {
            required property int index
            required property string modelData

            width: row.width / 5
            horizontalAlignment: index === 0 ? Text.AlignLeft : Text.AlignRight
            text: modelData
            font.pixelSize: Theme.secondarySize
            color: row.head ? Theme.textSecondary : Theme.text
            Accessible.ignored: true
        }
    }
}
