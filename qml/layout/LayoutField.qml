import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// One field of the form: typed, or chosen.
RowLayout {
    id: field

    required property string key
    required property string label
    required property string text
    required property string hint
    required property list<string> choices
    required property int current
    required property string fault
    signal edited(string text)
    signal entered

    spacing: Theme.spaceS

    UiText {
        Layout.fillWidth: true
        text: field.label
        color: Theme.textSecondary
        Accessible.ignored: true
    }
    UiTextField {
        objectName: field.choices.length === 0 ? field.key : ""
        visible: field.choices.length === 0
        implicitWidth: Theme.spaceXl * 6
        label: field.label
        placeholderText: field.hint
        text: field.text
        faulty: field.fault !== ""
        onTextEdited: field.edited(text)
        onAccepted: field.entered()
    }
    UiComboBox {
        objectName: field.choices.length > 0 ? field.key : ""
        visible: field.choices.length > 0
        implicitWidth: Theme.spaceXl * 6
        label: field.label
        model: field.choices
        currentIndex: field.current
        onActivated: index => field.edited(field.choices[index])
    }
}
