pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// The import, stage by stage: looking, review, progress, report.
UiSheet {
    id: sheet

    required property ImportController controller
    signal targetWanted
    signal copyWanted(string text)

    readonly property int stage: controller.stage
    readonly property bool working: stage === ImportController.Stage.Planning || stage === ImportController.Stage.Importing

    title: [qsTr("Import"), qsTr("Looking at what was dropped"), qsTr("Import"), qsTr("Importing"), qsTr("Import report")][stage]
    subtitle: stage === ImportController.Stage.Finished ? controller.report.headline : controller.sourceText
    closable: !working
    preferredHeight: working ? Theme.inspectorWidth - Theme.spaceXl : Theme.sheetWidth
    visible: stage !== ImportController.Stage.Idle
    onStageChanged: sheet.focusDefault()
    onOpened: sheet.focusDefault()
    onClosed: {
        if (sheet.stage !== ImportController.Stage.Idle)
            sheet.controller.cancel();
    }

    function focusDefault() {
        const ready = sheet.stage === ImportController.Stage.Review && sheet.controller.plan.count > 0;
        (sheet.stage === ImportController.Stage.Finished ? done : ready ? importButton : cancel).forceActiveFocus(Qt.PopupFocusReason);
    }

    ImportReview {
        anchors.fill: parent
        visible: sheet.stage === ImportController.Stage.Review
        controller: sheet.controller
        onTargetWanted: sheet.targetWanted()
    }
    ImportProgress {
        anchors.fill: parent
        visible: sheet.working
        controller: sheet.controller
    }
    ImportReportView {
        anchors.fill: parent
        visible: sheet.stage === ImportController.Stage.Finished
        report: sheet.controller.report
    }
    buttons: [
        UiText {
            Layout.fillWidth: true
            text: sheet.stage !== ImportController.Stage.Review || sheet.controller.plan.count === 0 ? "" : sheet.controller.plan.valid ? sheet.controller.plan.totalText : sheet.controller.plan.problem
            color: sheet.controller.plan.valid ? Theme.textSecondary : Theme.warning
        },
        // A positioner: layouts of Qt 6.4 misplace items that appear while their window is hidden.
        Row {
            spacing: Theme.spaceS

            UiButton {
                visible: sheet.stage === ImportController.Stage.Finished
                iconName: "copy"
                text: qsTr("Copy as text")
                onClicked: sheet.copyWanted(sheet.controller.report.text())
            }
            UiButton {
                id: cancel

                visible: sheet.stage !== ImportController.Stage.Finished
                enabled: !sheet.controller.stopping
                text: qsTr("Cancel")
                onClicked: sheet.controller.cancel()
            }
            UiButton {
                id: importButton

                objectName: "import"
                visible: sheet.stage === ImportController.Stage.Review && sheet.controller.plan.count > 0
                enabled: sheet.controller.plan.valid
                primary: true
                text: qsTr("Import")
                onClicked: sheet.controller.start()
            }
            UiButton {
                id: done

                objectName: "done"
                visible: sheet.stage === ImportController.Stage.Finished
                primary: true
                text: qsTr("Done")
                // When the stage changes it is not visible yet and cannot take the focus.
                onVisibleChanged: sheet.focusDefault()
                onClicked: sheet.controller.cancel()
            }
        }
    ]
}
