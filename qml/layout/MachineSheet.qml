pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// Says what a run's sources do not: the model of its GPUs, and the order of the air in a node.
UiSheet {
    id: sheet

    required property LayoutController controller
    readonly property MachineForm form: controller.machine

    title: "The machine"
    subtitle: controller.title
    preferredWidth: Theme.sheetWidth * 0.75
    preferredHeight: Theme.hitTarget * 24

    function begin() {
        sheet.controller.beginMachine();
        sheet.open();
    }
    function accept() {
        if (sheet.form.orderProblem !== "")
            return;
        sheet.controller.saveMachine();
        sheet.close();
    }

    ColumnLayout {
        anchors.fill: parent
        anchors.margins: Theme.spaceL
        spacing: Theme.spaceS

        RowLayout {
            spacing: Theme.spaceS

            UiText {
                Layout.fillWidth: true
                text: "Model of the GPUs"
                color: Theme.textSecondary
                Accessible.ignored: true
            }
            UiTextField {
                objectName: "gpuModel"
                Layout.preferredWidth: Theme.hitTarget * 10
                label: "Model of the GPUs"
                placeholderText: sheet.form.gpuHint
                text: sheet.form.gpuModel
                onEditingFinished: sheet.form.gpuModel = text
                onAccepted: {
                    sheet.form.gpuModel = text;
                    sheet.accept();
                }
            }
            UiComboBox {
                objectName: "gpuChoice"
                Layout.preferredWidth: Theme.hitTarget * 5
                label: "Models of the hardware catalogue"
                model: sheet.form.gpuModels
                currentIndex: -1
                displayText: "Choose…"
                onActivated: index => {
                    sheet.form.gpuModel = sheet.form.gpuModels[index];
                    currentIndex = -1;
                }
            }
        }
        UiSentence {
            objectName: "gpuRemark"
            text: sheet.form.gpuRemark
            color: Theme.textSecondary
            font.pixelSize: Theme.secondarySize
        }
        UiSeparator {
            Layout.fillWidth: true
        }
        RowLayout {
            spacing: Theme.spaceS

            UiText {
                Layout.fillWidth: true
                text: "GPUs of a node, front (fresh air) to rear"
                color: Theme.textSecondary
                Accessible.ignored: true
            }
            UiTextField {
                objectName: "order"
                Layout.preferredWidth: Theme.hitTarget * 10
                label: "GPUs of a node, front to rear"
                text: sheet.form.orderText
                faulty: sheet.form.orderProblem !== ""
                onEditingFinished: {
                    if (text !== sheet.form.orderText)
                        sheet.form.setOrderText(text);
                }
            }
        }
        UiSentence {
            objectName: "evidence"
            text: sheet.form.orderProblem !== "" ? sheet.form.orderProblem : sheet.form.evidence
            color: sheet.form.orderProblem !== "" ? Theme.warning : Theme.textSecondary
            font.pixelSize: Theme.secondarySize
        }
        ListView {
            id: list

            objectName: "air"
            Layout.fillWidth: true
            Layout.fillHeight: true
            clip: true
            activeFocusOnTab: true
            model: sheet.form
            boundsBehavior: Flickable.StopAtBounds
            Accessible.role: Accessible.List
            Accessible.name: "GPUs from front to rear"
            delegate: RowLayout {
                id: position

                required property int index
                required property int local
                required property bool rear

                width: list.width - Theme.spaceM
                spacing: Theme.spaceS
                Accessible.role: Accessible.ListItem
                Accessible.name: "GPU %1, %2".arg(position.local).arg(side.text)

                UiText {
                    Layout.preferredWidth: Theme.hitTarget * 4
                    text: "GPU %1".arg(position.local)
                }
                UiNote {
                    id: side

                    Layout.fillWidth: true
                    text: position.rear ? "rear" : "front"
                    color: position.rear ? Theme.warning : Theme.textSecondary
                }
                UiIconButton {
                    objectName: "forward" + position.index
                    enabled: position.index > 0
                    iconName: "chevronUp"
                    text: "Nearer to the fresh air"
                    onClicked: sheet.form.move(position.index, -1)
                }
                UiIconButton {
                    objectName: "back" + position.index
                    enabled: position.index + 1 < sheet.form.count
                    iconName: "chevronDown"
                    text: "Nearer to the exhaust"
                    onClicked: sheet.form.move(position.index, 1)
                }
            }
            UiScrollBar.vertical: UiScrollBar {}
        }
        UiCheckBox {
            objectName: "others"
            visible: sheet.form.otherCount > 0
            text: sheet.form.otherCount === 1 ? "Also for the other run on such nodes" : "Also for the %1 other runs on such nodes".arg(sheet.form.otherCount)
            checked: sheet.form.forOthers
            onClicked: {
                sheet.form.forOthers = checked;
                checked = Qt.binding(() => sheet.form.forOthers);
            }
        }
    }
    buttons: [
        UiButton {
            objectName: "undo"
            enabled: sheet.form.undoable
            text: "Undo"
            onClicked: sheet.form.undo()
        },
        UiButton {
            objectName: "asInferred"
            enabled: sheet.form.said
            text: "As inferred"
            toolTip: "The order that the temperatures tell, else ascending indices"
            onClicked: sheet.form.takeInferred()
        },
        Item {
            Layout.fillWidth: true
        },
        UiButton {
            text: "Cancel"
            onClicked: sheet.close()
        },
        UiButton {
            objectName: "save"
            primary: true
            enabled: sheet.form.orderProblem === ""
            text: "Use it"
            onClicked: sheet.accept()
        }
    ]
}
