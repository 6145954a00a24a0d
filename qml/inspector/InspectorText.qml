import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// A sentence of the inspector; nothing where it is empty.
UiText {
    Layout.fillWidth: true
    visible: text !== ""
    wrapMode: Text.Wrap
    elide: Text.ElideNone
    color: Theme.textSecondary
}
