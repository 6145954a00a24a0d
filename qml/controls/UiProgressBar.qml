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
    contentItem: Item {
        clip: true

        Rectangle {
            id: fill

            height: parent.height
            width: bar.indeterminate ? parent.width / 4 : bar.visualPosition * parent.width
            radius: height / 2
            color: Theme.accent

            SequentialAnimation on x {
                running: bar.indeterminate && bar.visible && Theme.transition > 0
                loops: Animation.Infinite
                onRunningChanged: fill.x = 0

                NumberAnimation {
                    from: 0
                    to: fill.width * 3
                    duration: Theme.transition * 8
                    easing.type: Easing.InOutQuad
                }
                NumberAnimation {
                    from: fill.width * 3
                    to: 0
                    duration: Theme.transition * 8
                    easing.type: Easing.InOutQuad
                }
            }
        }
    }
}
