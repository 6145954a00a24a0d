import QtQuick
import Trainscope
import Trainscope.App

// The small capitals above a group.
UiText {
    color: Theme.textSecondary
    font.pixelSize: Theme.smallSize
    font.capitalization: Font.AllUppercase
    font.letterSpacing: 0.5
    Accessible.role: Accessible.Heading
    Accessible.name: text
}
