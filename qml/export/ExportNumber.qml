import QtQuick
import Trainscope
import Trainscope.App

// A number that is at least 0; `emptyText` stands for 0 where given. edited() tells what was typed.
UiTextField {
    id: field

    required property real value
    property int decimals: 1
    property string emptyText: ""
    readonly property string shown: field.value > 0 ? field.value.toLocaleString(Qt.locale(), "f", field.decimals) : ""

    signal edited(real number)
    // Enter was pressed, after edited().
    signal entered

    implicitWidth: Theme.hitTarget * 4
    placeholderText: field.emptyText
    text: field.shown
    inputMethodHints: Qt.ImhFormattedNumbersOnly
    validator: DoubleValidator {
        bottom: 0
        top: 5000
        decimals: field.decimals
        notation: DoubleValidator.StandardNotation
    }
    // The validator takes an empty field for one that is still typed in.
    onTextEdited: {
        if (text === "" && field.emptyText !== "")
            field.edited(0);
    }
    onActiveFocusChanged: {
        if (!activeFocus)
            field.text = Qt.binding(() => field.shown); // unfinished input gives way to the value
    }
    onEditingFinished: field.commit()
    onAccepted: {
        field.commit();
        field.entered();
    }

    // Leaving the field untouched must not round the value to what is shown.
    function commit() {
        if (field.text !== field.shown)
            field.edited(Number.fromLocaleString(Qt.locale(), field.text));
    }
}
