import QtQuick
import Trainscope.App

// A text in the window's type: body size unless told otherwise, tabular digits where the font has them.
Text {
    color: Theme.text
    font.family: Theme.fontFamily
    font.pixelSize: Theme.bodySize
    elide: Text.ElideRight
    textFormat: Text.PlainText
    renderType: Text.NativeRendering
}
