import QtQuick
import QtQuick.Templates as T
import Trainscope.App

// Indeterminate while nothing is known about the total: a bar that moves, or rests with reduced motion.
T.ProgressBar {
    id: bar

    implicitWidth: Theme.spaceXl * 8
    implicitHeight: Theme.spaceXs

    background: Rectangle {
        radius: height / 2
        color: Theme.raised
    }
    contentItem: UiProgressFill {
        indeterminate: bar.indeterminate
        position: bar.visualPosition
    }
}
