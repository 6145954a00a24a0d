import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// A foot with the layout's source, and the way to enter another.
UiBar {
    id: footer

    required property LayoutController controller
    signal formWanted

    lower: true
    visible: footer.controller.origin !== ""
    height: visible ? implicitHeight : 0

    UiNote {
        Layout.fillWidth: true
        objectName: "origin"
        wrapMode: Text.Wrap
        text: footer.controller.origin
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }
    UiButton {
        objectName: "useRead"
        visible: footer.controller.entered
        quiet: true
        text: "Use what was read"
        onClicked: footer.controller.forgetEntered()
    }
    UiButton {
        objectName: "enter"
        visible: footer.controller.enterable
        quiet: true
        text: footer.controller.entered ? "Change…" : "Enter by hand…"
        onClicked: footer.formWanted()
    }
}
