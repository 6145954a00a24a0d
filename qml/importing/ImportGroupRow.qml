pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// One line of the import sheet: a run with what it will be and what it is made of, a remark on its
// sources, or a source.
Item {
    id: line

    required property ImportGroupModel groups
    required property int index
    required property int kind
    required property string title
    required property string brief
    required property string result
    required property string detail
    required property string problem
    required property string run
    required property bool runFaulty
    required property bool machine
    required property bool database
    required property string sizeText
    required property var fields
    required property int checkState
    required property bool unfolded
    required property bool marked

    property bool current: false // the keyboard is on it
    readonly property bool isRun: kind === ImportGroupModel.Run
    readonly property bool isRemark: kind === ImportGroupModel.Remark
    readonly property bool isSource: kind === ImportGroupModel.Source
    readonly property bool isImported: checkState !== Qt.Unchecked
    readonly property real indent: 2 * (Theme.hitTarget + Theme.spaceS)

    implicitHeight: block.implicitHeight + (isRun ? Theme.spaceL : Theme.spaceXs)
    Accessible.role: Accessible.ListItem
    Accessible.name: "%1, %2, %3".arg(title).arg(result).arg(detail)
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
        spacing: Theme.spaceXs
        opacity: line.isImported || line.isRemark ? 1 : 0.6

        RowLayout {
            visible: !line.isRemark
            spacing: Theme.spaceS

            UiIconButton {
                objectName: "fold"
                implicitWidth: Theme.hitTarget
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
                visible: line.isSource
                text: line.detail
            }
            Repeater {
                model: line.isSource ? line.fields.length : 0

                ImportField {
                    required property int index

                    field: line.fields[index]
                    of: line.title
                    brief: true
                    enabled: line.isImported
                    onSaid: text => line.groups.set(line.index, field.key, text)
                }
            }
            // The run that sources join: its name, or for what describes a machine the choice among the runs.
            Item {
                id: cell

                readonly property string label: line.isRun ? "Name of the run" : "Name of the run that %1 joins".arg(line.title)
                readonly property var choices: line.groups.runChoices

                objectName: "run"
                Layout.fillWidth: line.isRun
                Layout.preferredWidth: Theme.hitTarget * 6
                implicitHeight: Theme.controlHeight
                enabled: line.isImported && !line.database

                UiTextField {
                    id: name

                    objectName: "name"
                    anchors.fill: parent
                    visible: !line.machine
                    label: cell.label
                    faulty: line.runFaulty
                    onTextEdited: line.groups.setRunName(line.index, text)
                    onEditingFinished: line.groups.settleNames()
                    // The begin of a long name tells more than its end.
                    Component.onCompleted: {
                        text = line.run;
                        cursorPosition = 0;
                    }

                    // The run has no blanks at its ends, which are typed on the way to another word.
                    Connections {
                        target: line

                        function onRunChanged() {
                            if (name.text.trim() !== line.run)
                                name.text = line.run;
                        }
                    }
                }
                UiComboBox {
                    objectName: "choice"
                    anchors.fill: parent
                    visible: line.machine
                    label: cell.label
                    model: cell.choices
                    currentIndex: cell.choices.indexOf(line.run)
                    displayText: line.run === "" ? "Choose a run…" : line.run
                    onActivated: index => {
                        line.groups.setRunName(line.index, cell.choices[index]);
                        line.groups.settleNames();
                    }
                }
            }
            UiNote {
                Layout.preferredWidth: Theme.hitTarget * 3
                horizontalAlignment: Text.AlignRight
                text: line.sizeText
            }
        }
        UiText {
            objectName: "result"
            Layout.fillWidth: true
            Layout.leftMargin: line.indent
            visible: line.isRun && text !== ""
            text: line.result
        }
        UiNote {
            objectName: "detail"
            Layout.fillWidth: true
            Layout.leftMargin: line.indent
            visible: line.isRun && text !== ""
            text: line.detail
        }
        Flow {
            Layout.fillWidth: true
            Layout.leftMargin: line.indent
            spacing: Theme.spaceL
            enabled: line.isImported
            visible: line.isRun && line.fields.some(field => field.pressing || line.unfolded)

            Repeater {
                model: line.isRun ? line.fields.length : 0

                ImportField {
                    required property int index

                    field: line.fields[index]
                    of: line.title
                    visible: field.pressing || line.unfolded
                    onSaid: text => line.groups.set(line.index, field.key, text)
                }
            }
        }
        UiSentence {
            objectName: "problem"
            Layout.leftMargin: line.indent
            text: line.isRemark ? line.title : line.isRun ? line.problem : ""
            color: line.isRemark ? Theme.textSecondary : Theme.warning
            font.pixelSize: Theme.secondarySize
        }
    }
}
