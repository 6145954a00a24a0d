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
    signal anotherWanted
    signal copyWanted(string text)

    readonly property int stage: controller.stage
    readonly property bool working: stage === ImportController.Stage.Planning || stage === ImportController.Stage.Importing

    title: ["Import", "Looking at what was dropped", "Import", "Importing", "Import report"][stage]
    subtitle: stage === ImportController.Stage.Finished ? controller.report.headline : controller.sourceText
    closable: !working
    preferredWidth: stage === ImportController.Stage.Review ? Theme.sheetWidth * 1.3 : Theme.sheetWidth
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
        (sheet.stage === ImportController.Stage.Finished ? done : ready ? importButton : sheet.stage === ImportController.Stage.Review ? another : cancel).forceActiveFocus(Qt.PopupFocusReason);
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
    buttons: Item {
        Layout.fillWidth: true
        implicitHeight: Theme.controlHeight

        UiText {
            anchors.left: parent.left
            anchors.right: row.left
            anchors.rightMargin: Theme.spaceM
            anchors.verticalCenter: parent.verticalCenter
            maximumLineCount: 2
            wrapMode: Text.Wrap
            text: sheet.stage !== ImportController.Stage.Review || sheet.controller.plan.count === 0 ? "" : sheet.controller.problem === "" ? sheet.controller.plan.totalText : sheet.controller.problem
            color: sheet.controller.problem === "" ? Theme.textSecondary : Theme.warning
        }
        // A positioner: layouts of Qt 6.4 misplace items that appear while their window is hidden.
        Row {
            id: row

            anchors.right: parent.right
            spacing: Theme.spaceS

            // A disabled button notices no pointer: what is around it does.
            HoverHandler {
                id: hover
            }
            UiToolTip {
                objectName: "importReason"
                parent: importButton
                wanted: importButton.visible && !importButton.enabled && text !== "" && hover.hovered && hover.point.position.x >= importButton.x
                text: sheet.controller.problem
            }
            UiButton {
                visible: sheet.stage === ImportController.Stage.Finished
                iconName: "copy"
                text: "Copy as text"
                onClicked: sheet.copyWanted(sheet.controller.report.text())
            }
            UiButton {
                id: cancel

                visible: sheet.stage !== ImportController.Stage.Finished
                enabled: !sheet.controller.stopping
                text: "Cancel"
                onClicked: sheet.controller.cancel()
            }
            UiButton {
                id: another

                visible: sheet.stage === ImportController.Stage.Review && sheet.controller.plan.count === 0
                primary: true
                text: "Choose another"
                onClicked: sheet.anotherWanted()
            }
            UiButton {
                id: importButton

                objectName: "import"
                visible: sheet.stage === ImportController.Stage.Review && sheet.controller.plan.count > 0
                enabled: sheet.controller.problem === ""
                primary: true
                text: "Import"
                onClicked: {
                    forceActiveFocus(); // unfinished input is committed
                    sheet.controller.start();
                }
            }
            UiButton {
                id: done

                objectName: "done"
                visible: sheet.stage === ImportController.Stage.Finished
                primary: true
                text: "Done"
                // The stage changes before this is visible: it cannot take the focus then.
                onVisibleChanged: sheet.focusDefault()
                onClicked: sheet.controller.cancel()
            }
        }
    }
}
