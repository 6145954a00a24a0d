import QtQuick
import Trainscope
import Trainscope.App

// The run that sources join: its name, or for what describes a machine the choice among the runs.
Item {
    id: cell

    required property string label
    required property string run
    required property bool machine
    required property bool faulty
    required property var choices
    signal edited(string text)
    signal settled

    implicitHeight: Theme.controlHeight

    UiTextField {
        id: name

        objectName: "name"
        anchors.fill: parent
        visible: !cell.machine
        label: cell.label
        faulty: cell.faulty
        onTextEdited: cell.edited(text)
        onEditingFinished: cell.settled()
        // The begin of a long name tells more than its end.
        Component.onCompleted: {
            text = cell.run;
            cursorPosition = 0;
        }

        // The run has no blanks at its ends, which are typed on the way to another word.
        Connections {
            target: cell

            function onRunChanged() {
                if (name.text.trim() !== cell.run)
                    name.text = cell.run;
            }
        }
    }
    UiComboBox {
        objectName: "choice"
        anchors.fill: parent
        visible: cell.machine
        label: cell.label
        model: cell.choices
        currentIndex: cell.choices.indexOf(cell.run)
        displayText: cell.run === "" ? "Choose a run…" : cell.run
        onActivated: index => {
            cell.edited(cell.choices[index]);
            cell.settled();
        }
    }
}
