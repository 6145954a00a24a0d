import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// A line of the form: its label in a fixed column, its controls beside it.
RowLayout {
    id: row

    required property string label

    Layout.fillWidth: true
    spacing: Theme.spaceS

    UiText {
        Layout.preferredWidth: Theme.hitTarget * 4
        text: row.label
        color: Theme.textSecondary
    }
}
