import QtQuick
import Trainscope
import Trainscope.App

// Controls of the job's source and of the board's tracks.
SettingsBar {
    id: bar

    required property PredictController controller

    name: "Predict"

    UiButton {
        objectName: "fromRun"
        width: Math.min(implicitWidth, Theme.runListWidth)
        enabled: bar.controller.runName !== ""
        label: bar.controller.runName !== "" ? "From %1".arg(bar.controller.runName) : "From the run"
        toolTip: "The job of the selected run, with its measured step beside every change"
        onClicked: bar.controller.fillFromRun()
    }
    UiButton {
        objectName: "keep"
        enabled: bar.controller.keepable
        text: "Keep"
        toolTip: "Leaves this answer on the board, beside those that follow"
        onClicked: bar.controller.keep()
    }
    UiButton {
        objectName: "rank"
        text: "Rank layouts"
        toolTip: "All layouts of the model on the cluster, the best first"
        choice: true
        checked: bar.controller.ranked
        onClicked: bar.controller.ranked = !bar.controller.ranked
    }
    UiButton {
        objectName: "calibrated"
        text: "By measured runs"
        toolTip: bar.controller.calibrationText !== "" ? bar.controller.calibrationText : "Brings speeds, power and heat to what the measured runs of the database tell"
        choice: true
        checked: bar.controller.calibrated
        onClicked: bar.controller.calibrated = !bar.controller.calibrated
    }
    UiButton {
        objectName: "open"
        enabled: bar.controller.ready
        text: "Open as run"
        toolTip: "Writes the prediction into the database as a run, for every view"
        onClicked: bar.controller.openAsRun()
    }
    UiButton {
        objectName: "compare"
        enabled: bar.controller.comparable
        text: "Compare with measured"
        toolTip: bar.controller.comparable ? "The prediction as a run beside the measured one that the form was filled from" : "Fill the form from a measured run first"
        onClicked: bar.controller.comparisonQuestion !== "" ? consent.put() : bar.controller.compareWithMeasured()

        UiQuestionSheet {
            id: consent

            home: bar
            title: "Compare with measured?"
            question: bar.controller.comparisonQuestion
            consentText: "Keep and compare"
            preferredHeight: Theme.spaceXl * 12
            onAgreed: bar.controller.compareWithMeasured()
        }
    }
    // The last, so that nothing moves when it comes.
    UiButton {
        objectName: "clear"
        visible: bar.controller.keptCount > 0
        text: "Clear %1".arg(bar.controller.keptCount)
        toolTip: "Takes what is kept and what was measured off the board"
        onClicked: bar.controller.forgetKept()
    }
}
