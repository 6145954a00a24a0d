import QtQuick
import Trainscope
import Trainscope.App

// A small framed word: "simulated", "out of memory". `strong` marks what needs attention.
Rectangle {
    id: tag

    required property string text
    property bool strong: false

    implicitWidth: label.implicitWidth + Theme.spaceS + Theme.spaceXs
    implicitHeight: label.implicitHeight + Theme.spaceXs
    radius: Theme.radius
    color: "transparent"
    border.width: Theme.hairline
    border.color: tag.strong ? Theme.warning : Theme.line
    Accessible.role: Accessible.StaticText
    Accessible.name: text

    UiText {
        id: label

        anchors.centerIn: parent
        text: tag.text
        font.pixelSize: Theme.smallSize
        color: tag.strong ? Theme.warning : Theme.textSecondary
        Accessible.ignored: true
    }
}
