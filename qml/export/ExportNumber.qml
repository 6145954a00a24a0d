import QtQuick
import Trainscope
import Trainscope.App

// A number that is at least 0; `emptyText` stands for 0 where given. edited() tells what was typed.
UiTextField {
    id: field

    required property real value
    property int decimals: 1
    property string emptyText: ""

    signal edited(real number)

    implicitWidth: Theme.spaceXl * 4
    placeholderText: field.emptyText
    text: field.value > 0 ? field.value.toFixed(field.decimals) : ""
    inputMethodHints: Qt.ImhFormattedNumbersOnly
    validator: DoubleValidator {
        bottom: 0
        top: 5000
        decimals: field.decimals
        notation: DoubleValidator.StandardNotation
        locale: "C"
    }
    onEditingFinished: field.edited(Number(field.text))
}
