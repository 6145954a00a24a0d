import QtQuick
import Trainscope
import Trainscope.App

// Controls of the job's source and of the board's tracks.
SettingsBar {
    id: bar

    required property PredictController controller

    name: qsTr("Predict")

    UiButton {
        objectName: "fromRun"
        width: Math.min(implicitWidth, Theme.runListWidth)
        enabled: bar.controller.runName !== ""
        label: bar.controller.runName !== "" ? qsTr("From %1").arg(bar.controller.runName) : qsTr("From the run")
        toolTip: qsTr("The job of the selected run, with its measured step beside every change")
        onClicked: bar.controller.fillFromRun()
    }
    UiButton {
        objectName: "keep"
        enabled: bar.controller.keepable
        text: qsTr("Keep")
        toolTip: qsTr("Leaves this answer on the board, beside those that follow")
        onClicked: bar.controller.keep()
    }
    UiButton {
        objectName: "rank"
        text: qsTr("Rank layouts")
        toolTip: qsTr("All layouts of the model on the cluster, the best first")
        checked: bar.controller.ranked
        Accessible.role: Accessible.CheckBox
        Accessible.checkable: true
        Accessible.checked: checked
        onClicked: bar.controller.ranked = !bar.controller.ranked
    }
    UiButton {
        objectName: "whatIf"
        text: qsTr("What if")
        toolTip: qsTr("What other bandwidths, memory, batch, sequence or power limit would do")
        checked: bar.controller.whatIf
        Accessible.role: Accessible.CheckBox
        Accessible.checkable: true
        Accessible.checked: checked
        onClicked: bar.controller.whatIf = !bar.controller.whatIf
    }
    UiButton {
        objectName: "calibrated"
        text: qsTr("By measured runs")
        toolTip: bar.controller.calibrationText !== "" ? bar.controller.calibrationText : qsTr("Brings speeds, power and heat to what the measured runs of the database tell")
        checked: bar.controller.calibrated
        Accessible.role: Accessible.CheckBox
        Accessible.checkable: true
        Accessible.checked: checked
        onClicked: bar.controller.calibrated = !bar.controller.calibrated
    }
    UiButton {
        objectName: "open"
        enabled: bar.controller.ready
        text: qsTr("Open as run")
        toolTip: qsTr("Writes the prediction into the database as a run, for every view")
        onClicked: bar.controller.openAsRun()
    }
    UiButton {
        objectName: "compare"
        enabled: bar.controller.comparable
        text: qsTr("Compare with measured")
        toolTip: bar.controller.comparable ? qsTr("The prediction as a run beside the measured one that the form was filled from") : qsTr("Fill the form from a measured run first")
        onClicked: bar.controller.compareWithMeasured()
    }
    // The last, so that nothing moves when it comes.
    UiButton {
        objectName: "clear"
        visible: bar.controller.keptCount > 0
        text: qsTr("Clear %1").arg(bar.controller.keptCount)
        toolTip: qsTr("Takes what is kept and what was measured off the board")
        onClicked: bar.controller.forgetKept()
    }
}
