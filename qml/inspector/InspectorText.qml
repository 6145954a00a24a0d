import QtQuick
import Trainscope
import Trainscope.App

// A sentence of the inspector; nothing where it is empty.
UiSentence {
    color: Theme.textSecondary
}
