import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// One line of the connection: its label, and what is typed under that name.
RowLayout {
    id: field

    required property ConnectController controller
    required property string name
    required property string label
    property string hint: ""
    property string tip: ""

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
        text: field.controller.said[field.name] ?? ""
        enabled: !field.controller.busy
        onTextEdited: field.controller.say(field.name, text)
        onAccepted: field.controller.ask()

        UiToolTip {
            text: field.tip
            wanted: field.tip !== "" && input.hovered
        }
    }
}
