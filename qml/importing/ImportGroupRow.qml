import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// One line of the import sheet: a run with what it is made of, a remark on its sources, or a source.
Item {
    id: line

    required property ImportGroupModel groups
    required property ImportColumns columns
    required property int index
    required property int kind
    required property string title
    required property string brief
    required property string detail
    required property string problem
    required property string run
    required property bool runFaulty
    required property bool machine
    required property bool database
    required property string rank
    required property bool rankEditable
    required property bool rankFaulty
    required property string period
    required property bool periodEditable
    required property bool periodFaulty
    required property bool datesEditable
    required property int dateChoice
    required property string tableColumns
    required property bool columnsEditable
    required property bool columnsFaulty
    required property string clock
    required property int clockChoice
    required property bool clockEditable
    required property string offset
    required property string offsetHint
    required property bool offsetFaulty
    required property string gpuModel
    required property string gpuHint
    required property bool gpuEditable
    required property string airflow
    required property string airflowHint
    required property bool airflowFaulty
    required property string sizeText
    required property int checkState
    required property bool unfolded
    required property bool marked

    property bool current: false // the keyboard is on it
    readonly property bool isRun: kind === ImportGroupModel.Run
    readonly property bool isRemark: kind === ImportGroupModel.Remark
    readonly property bool isSource: kind === ImportGroupModel.Source

    implicitHeight: block.implicitHeight + (isRun ? Theme.spaceM : Theme.spaceXs)
    Accessible.role: Accessible.ListItem
    Accessible.name: "%1, %2".arg(title).arg(detail)
    Accessible.selected: marked

    Rectangle {
        anchors.fill: parent
        anchors.topMargin: line.isRun ? Theme.hairline : 0
        color: line.marked ? Theme.selection : hover.hovered && line.isRun ? Theme.hovered : line.isRun ? "transparent" : Theme.window
        border.width: line.current ? Theme.hairline : 0
        border.color: Theme.accent
    }
    UiSeparator {
        anchors.top: parent.top
        width: parent.width
        visible: line.isRun && line.index > 0
    }
    HoverHandler {
        id: hover
    }
    MouseArea {
        anchors.fill: parent
        enabled: line.isRun
        onClicked: mouse => line.groups.mark(line.index, (mouse.modifiers & Qt.ControlModifier) !== 0, (mouse.modifiers & Qt.ShiftModifier) !== 0)
        onDoubleClicked: line.groups.toggle(line.index)
    }
    ColumnLayout {
        id: block

        anchors.left: parent.left
        anchors.right: parent.right
        anchors.leftMargin: Theme.spaceL
        anchors.rightMargin: Theme.spaceXl
        anchors.verticalCenter: parent.verticalCenter
        spacing: 0
        opacity: line.checkState === Qt.Unchecked && !line.isRemark ? 0.6 : 1

        RowLayout {
            visible: !line.isRemark
            spacing: Theme.spaceS

            UiIconButton {
                objectName: "fold"
                Layout.preferredWidth: line.columns.fold
                opacity: line.isRun ? 1 : 0
                enabled: line.isRun
                iconName: line.unfolded ? "chevronDown" : "chevronRight"
                text: line.unfolded ? "Fold" : "Show the sources"
                onClicked: line.groups.toggle(line.index)
            }
            UiCheckBox {
                objectName: "selected"
                label: "Import %1".arg(line.title)
                checkState: line.checkState
                onClicked: {
                    line.groups.setSelected(line.index, checkState === Qt.Checked);
                    checkState = Qt.binding(() => line.checkState);
                }
            }
            UiName {
                Layout.fillWidth: true
                visible: line.isSource
                full: line.title
                brief: line.brief
                font.pixelSize: Theme.secondarySize
            }
            UiNote {
                Layout.maximumWidth: line.columns.run
                visible: line.isSource && line.width > Theme.sheetWidth * 1.2
                text: line.detail
            }
            ImportRunField {
                objectName: "run"
                Layout.fillWidth: line.isRun
                Layout.preferredWidth: line.columns.run
                enabled: line.checkState !== Qt.Unchecked && !line.database
                label: line.isRun ? "Name of the run" : "Name of the run that %1 joins".arg(line.title)
                run: line.run
                machine: line.machine
                faulty: line.runFaulty
                choices: line.groups.runChoices
                onEdited: text => line.groups.setRunName(line.index, text)
                onSettled: line.groups.settleNames()
            }
            UiTextField {
                objectName: "rank"
                Layout.preferredWidth: line.columns.rank
                visible: line.isSource && line.rankEditable
                enabled: line.checkState !== Qt.Unchecked
                label: "Rank of %1".arg(line.title)
                placeholderText: "rank"
                text: line.rank
                faulty: line.rankFaulty
                inputMethodHints: Qt.ImhDigitsOnly
                onTextEdited: line.groups.setRank(line.index, text)
            }
            UiTextField {
                objectName: "period"
                Layout.preferredWidth: line.columns.rank * 1.5
                visible: line.isSource && line.periodEditable
                enabled: line.checkState !== Qt.Unchecked
                label: "Period of %1".arg(line.title)
                placeholderText: "every 1 s"
                text: line.period
                faulty: line.periodFaulty
                onTextEdited: line.groups.setPeriod(line.index, text)
            }
            ImportCells {
                enabled: line.checkState !== Qt.Unchecked
                columns: line.columns
                groups: line.groups
                row: line.index
                name: line.title
                clock: line.clock
                clockChoice: line.clockChoice
                clockEditable: line.clockEditable
                offset: line.offset
                offsetHint: line.offsetHint
                offsetFaulty: line.offsetFaulty
                gpuModel: line.gpuModel
                gpuHint: line.gpuHint
                gpuEditable: line.gpuEditable
                sizeText: line.sizeText
            }
        }
        UiNote {
            objectName: "detail"
            Layout.fillWidth: true
            Layout.leftMargin: line.columns.fold * 2 + Theme.spaceS * 2
            visible: line.isRun && text !== ""
            text: line.detail
        }
        RowLayout {
            Layout.leftMargin: line.columns.fold * 2 + Theme.spaceS * 2
            Layout.topMargin: Theme.spaceXs
            visible: line.isRun && line.unfolded && line.gpuEditable
            spacing: Theme.spaceS

            UiNote {
                text: "GPUs of a node, front (fresh air) to rear"
            }
            UiTextField {
                objectName: "airflow"
                Layout.preferredWidth: line.columns.gpu * 1.5
                enabled: line.checkState !== Qt.Unchecked
                label: "Order of the air of %1".arg(line.title)
                placeholderText: line.airflowHint
                text: line.airflow
                faulty: line.airflowFaulty
                onTextEdited: line.groups.setAirflow(line.index, text)
            }
        }
        RowLayout {
            Layout.leftMargin: line.columns.fold * 2 + Theme.spaceS * 2
            Layout.topMargin: Theme.spaceXs
            visible: line.isRun && line.datesEditable
            spacing: Theme.spaceS

            UiNote {
                text: "Its dates can be read with the day or with the month first"
            }
            UiComboBox {
                objectName: "dates"
                Layout.preferredWidth: line.columns.offset
                enabled: line.checkState !== Qt.Unchecked
                label: "Order of the dates of %1".arg(line.title)
                model: line.groups.dateChoices
                currentIndex: line.dateChoice
                displayText: line.dateChoice < 0 ? "by their signs" : currentText
                onActivated: index => {
                    line.groups.setDates(line.index, index);
                    currentIndex = Qt.binding(() => line.dateChoice);
                }
            }
        }
        RowLayout {
            Layout.leftMargin: line.columns.fold * 2 + Theme.spaceS * 2
            Layout.topMargin: Theme.spaceXs
            visible: line.isRun && line.unfolded && line.columnsEditable
            spacing: Theme.spaceS

            UiNote {
                text: "Columns that are something else"
            }
            UiTextField {
                objectName: "tableColumns"
                Layout.preferredWidth: line.columns.gpu * 2
                enabled: line.checkState !== Qt.Unchecked
                label: "Columns of %1".arg(line.title)
                placeholderText: "as below, or NAME=METRIC[unit]; …"
                text: line.tableColumns
                faulty: line.columnsFaulty
                onEditingFinished: {
                    if (text !== line.tableColumns)
                        line.groups.setColumns(line.index, text);
                }
            }
        }
        UiSentence {
            objectName: "problem"
            Layout.leftMargin: line.columns.fold * 2 + Theme.spaceS * 2
            visible: line.isRun && text !== ""
            text: line.problem
            color: Theme.warning
            font.pixelSize: Theme.secondarySize
        }
        UiSentence {
            Layout.leftMargin: line.columns.fold * 2 + Theme.spaceS * 2
            visible: line.isRemark
            text: line.title
            color: Theme.textSecondary
            font.pixelSize: Theme.secondarySize
        }
    }
}
