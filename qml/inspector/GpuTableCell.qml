import QtQuick
import Trainscope
import Trainscope.App

UiText {
    property bool head: false

    horizontalAlignment: Text.AlignRight
    font.pixelSize: Theme.secondarySize
    color: head ? Theme.textSecondary : Theme.text
    Accessible.ignored: true
}
