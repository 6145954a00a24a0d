import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// One run and how far it is moved.
RowLayout {
    id: row

    required property AlignmentModel alignment
    required property int index
    required property string runName
    required property color runColor
    required property string offsetText

    spacing: Theme.spaceS

    Rectangle {
        implicitWidth: Theme.spaceM
        implicitHeight: Theme.spaceM
        radius: Theme.radius
        color: row.runColor
    }
    UiName {
        Layout.fillWidth: true
        text: row.runName
    }
    UiTextField {
        id: field

        implicitWidth: Theme.spaceXl * 4
        label: "Seconds that %1 is moved".arg(row.runName)
        text: row.offsetText
        onTextEdited: faulty = false
        onEditingFinished: faulty = !row.alignment.moveRun(row.index, text)
    }
}
