import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// One line of the connection: its name and what is typed.
RowLayout {
    id: field

    required property string name
    required property string label
    property string hint: ""
    property string tip: ""
    property bool locked: false
    property alias text: input.text
    signal edited(string text)
    signal entered

    spacing: Theme.spaceS

    UiText {
        Layout.preferredWidth: Theme.spaceXl * 5
        text: field.label
        color: Theme.textSecondary
        Accessible.ignored: true
    }
    UiTextField {
        id: input

        objectName: field.name
        Layout.fillWidth: true
        label: field.label
        placeholderText: field.hint
        enabled: !field.locked
        onTextEdited: field.edited(text)
        onAccepted: field.entered()

        UiToolTip {
            text: field.tip
            wanted: field.tip !== "" && input.hovered
        }
    }
}
