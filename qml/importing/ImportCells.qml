import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// Clock, time zone, model of the GPUs and size of a run or of one of its sources.
RowLayout {
    id: cells

    required property ImportColumns columns
    required property ImportGroupModel groups
    required property int row
    required property string name
    required property string clock
    required property int clockChoice
    required property bool clockEditable
    required property string offset
    required property string offsetHint
    required property bool offsetFaulty
    required property string gpuModel
    required property string gpuHint
    required property bool gpuEditable
    required property string sizeText

    spacing: Theme.spaceS

    Item {
        Layout.preferredWidth: cells.columns.clock
        implicitHeight: Theme.controlHeight

        UiNote {
            anchors.fill: parent
            visible: !cells.clockEditable
            verticalAlignment: Text.AlignVCenter
            text: cells.clock
        }
        UiComboBox {
            objectName: "clock"
            anchors.fill: parent
            visible: cells.clockEditable
            label: "Clock of %1".arg(cells.name)
            model: cells.groups.clockChoices
            currentIndex: cells.clockChoice
            displayText: cells.clockChoice < 0 ? "several" : currentText
            onActivated: index => {
                cells.groups.setClock(cells.row, index);
                currentIndex = Qt.binding(() => cells.clockChoice);
            }
        }
    }
    Item {
        Layout.preferredWidth: cells.columns.offset
        implicitHeight: Theme.controlHeight

        UiTextField {
            objectName: "offset"
            anchors.fill: parent
            visible: cells.offsetHint !== ""
            label: "Time zone or start of %1".arg(cells.name)
            placeholderText: cells.offsetHint
            text: cells.offset
            faulty: cells.offsetFaulty
            onEditingFinished: {
                if (text !== cells.offset)
                    cells.groups.setOffset(cells.row, text);
            }
        }
    }
    Item {
        Layout.preferredWidth: cells.columns.gpu
        implicitHeight: Theme.controlHeight

        UiTextField {
            objectName: "gpuModel"
            anchors.fill: parent
            visible: cells.gpuEditable
            label: "Model of the GPUs of %1".arg(cells.name)
            placeholderText: cells.gpuHint
            text: cells.gpuModel
            onTextEdited: cells.groups.setGpuModel(cells.row, text)
        }
    }
    UiNote {
        Layout.preferredWidth: cells.columns.size
        horizontalAlignment: Text.AlignRight
        text: cells.sizeText
    }
}
