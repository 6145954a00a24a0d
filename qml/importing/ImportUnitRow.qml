import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// One source of the plan: whether to import it, the run and rank it joins, its clock.
Item {
    id: unit

    required property ImportPlanModel plan
    required property int index
    required property string path
    required property string importer
    required property string runName
    required property bool runNameFaulty
    required property string rank
    required property bool rankEditable
    required property bool rankFaulty
    required property string clock
    required property string offset
    required property bool offsetEditable
    required property bool offsetFaulty
    required property string sizeText
    required property string summary
    required property string notes
    required property bool selected

    implicitHeight: grid.implicitHeight + 2 * Theme.spaceS
    Accessible.role: Accessible.ListItem
    Accessible.name: qsTr("%1, %2, run %3, %4").arg(path).arg(importer).arg(runName).arg(summary)

    Rectangle {
        anchors.fill: parent
        anchors.leftMargin: Theme.spaceS
        anchors.rightMargin: Theme.spaceM
        radius: Theme.radius
        color: Theme.window
    }
    ColumnLayout {
        id: grid

        anchors.left: parent.left
        anchors.right: parent.right
        anchors.leftMargin: Theme.spaceL
        anchors.rightMargin: Theme.spaceXl
        anchors.verticalCenter: parent.verticalCenter
        spacing: Theme.spaceXs
        opacity: unit.selected ? 1 : 0.6

        RowLayout {
            spacing: Theme.spaceS

            UiCheckBox {
                label: qsTr("Import %1").arg(unit.path)
                checked: unit.selected
                onClicked: {
                    unit.plan.setSelected(unit.index, checked);
                    checked = Qt.binding(() => unit.selected);
                }
            }
            UiText {
                Layout.fillWidth: true
                text: unit.path
                elide: Text.ElideMiddle
            }
            UiNote {
                text: unit.importer
            }
            UiNote {
                Layout.preferredWidth: Theme.spaceXl * 3
                horizontalAlignment: Text.AlignRight
                text: unit.sizeText
            }
        }
        RowLayout {
            Layout.leftMargin: Theme.hitTarget + Theme.spaceS
            spacing: Theme.spaceS

            UiNote {
                text: qsTr("run")
            }
            UiTextField {
                Layout.fillWidth: true
                enabled: unit.selected
                label: qsTr("Name of the run that %1 joins").arg(unit.path)
                text: unit.runName
                faulty: unit.runNameFaulty
                onTextEdited: unit.plan.setRunName(unit.index, text)
            }
            UiNote {
                visible: unit.rankEditable
                text: qsTr("rank")
            }
            UiTextField {
                Layout.preferredWidth: Theme.spaceXl * 2
                visible: unit.rankEditable
                enabled: unit.selected
                label: qsTr("Rank of %1").arg(unit.path)
                text: unit.rank
                faulty: unit.rankFaulty
                inputMethodHints: Qt.ImhDigitsOnly
                onTextEdited: unit.plan.setRank(unit.index, text)
            }
            UiNote {
                text: unit.offsetEditable ? qsTr("local clock") : qsTr("clock: %1").arg(unit.clock)
            }
            UiTextField {
                Layout.preferredWidth: Theme.spaceXl * 4
                visible: unit.offsetEditable
                enabled: unit.selected
                label: qsTr("Offset of the local clock of %1 from UTC").arg(unit.path)
                text: unit.offset
                faulty: unit.offsetFaulty
                onEditingFinished: unit.plan.setOffset(unit.index, text)
            }
        }
        UiNote {
            Layout.fillWidth: true
            Layout.leftMargin: Theme.hitTarget + Theme.spaceS
            visible: text !== ""
            text: unit.summary
        }
        RowLayout {
            Layout.leftMargin: Theme.hitTarget + Theme.spaceS
            visible: unit.notes !== ""
            spacing: Theme.spaceS

            Icon {
                Layout.alignment: Qt.AlignTop
                name: "info"
                color: Theme.textSecondary
            }
            UiSentence {
                text: unit.notes
                font.pixelSize: Theme.secondarySize
            }
        }
    }
}
