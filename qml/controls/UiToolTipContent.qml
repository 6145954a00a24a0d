import QtQuick
import Trainscope
import Trainscope.App

// Text, broken where it is long, and the keys behind it, in a tool tip.
Row {
    id: content

    required property string text
    required property string shortcut
    // Qt's implicit width is that of a text's lines in a row; this is the width that they take.
    readonly property real usedWidth: keys.visible ? implicitWidth : Math.ceil(label.contentWidth)

    spacing: Theme.spaceS

    UiText {
        id: label

        width: Math.min(implicitWidth, Theme.sheetWidth / 2)
        wrapMode: Text.Wrap
        text: content.text
        font.pixelSize: Theme.secondarySize
    }
    UiNote {
        id: keys

        visible: content.shortcut !== ""
        text: content.shortcut
    }
}
