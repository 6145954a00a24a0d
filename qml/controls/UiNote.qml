import QtQuick
import Trainscope
import Trainscope.App

// A text that is said less loudly.
UiText {
    color: Theme.textSecondary
    font.pixelSize: Theme.secondarySize
}
