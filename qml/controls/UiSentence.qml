import QtQuick
import QtQuick.Layouts
import Trainscope

// A sentence across a layout, broken where it has to be; nothing where it is empty.
UiText {
    Layout.fillWidth: true
    visible: text !== ""
    wrapMode: Text.Wrap
    elide: Text.ElideNone
}
