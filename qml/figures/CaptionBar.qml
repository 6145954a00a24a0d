import QtQuick
import QtQuick.Layouts
import Trainscope

// The line below a view that says what it covers, with what belongs to it behind.
UiBar {
    property alias text: note.text

    lower: true

    UiNote {
        id: note

        Layout.fillWidth: true
        wrapMode: Text.Wrap
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }
}
