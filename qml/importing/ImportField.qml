import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// A field of the import sheet: its label, and a text or a choice. `brief`: the label stands in the
// control.
RowLayout {
    id: cell

    required property var field // value in one row, or in the rows that are edited at once
    required property string of // the run or source, for screen readers
    property bool brief: false
    readonly property string name: "%1 of %2".arg(field.label).arg(of)
    readonly property string hint: brief ? field.label : field.hint
    signal said(string text)

    spacing: Theme.spaceXs

    UiNote {
        visible: !cell.brief
        text: cell.field.label
    }
    UiTextField {
        objectName: cell.field.key
        implicitWidth: Theme.hitTarget * (cell.brief ? 5 : 7)
        visible: cell.field.choices.length === 0
        label: cell.name
        placeholderText: cell.hint
        text: cell.field.value
        faulty: cell.field.faulty
        onEditingFinished: {
            // Not where another window takes the keys.
            if (Window.active && text !== cell.field.value)
                cell.said(text);
        }
    }
    UiComboBox {
        objectName: cell.field.key
        implicitWidth: Theme.hitTarget * 5
        visible: cell.field.choices.length > 0
        label: cell.name
        model: cell.field.choices
        currentIndex: cell.field.choices.indexOf(cell.field.value)
        displayText: cell.field.value === "" ? cell.hint : cell.field.value
        onActivated: index => {
            cell.said(cell.field.choices[index]);
            currentIndex = Qt.binding(() => cell.field.choices.indexOf(cell.field.value));
        }
    }
}
