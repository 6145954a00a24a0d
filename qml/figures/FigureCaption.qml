import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// A foot with the part of the runs that the figure covers, and the switch to all of it.
UiBar {
    id: footer

    required property FigureController controller

    lower: true

    UiNote {
        Layout.fillWidth: true
        wrapMode: Text.Wrap
        text: footer.controller.caption
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }
    UiCheckBox {
        text: "Whole run"
        checked: footer.controller.wholeRun
        onToggled: footer.controller.wholeRun = checked
    }
}
