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
    contentItem: Fill {
        indeterminate: bar.indeterminate
        position: bar.visualPosition
    }

    // The moving part.
    component Fill: Item {
        id: track

        required property bool indeterminate
        required property real position

        clip: true

        Rectangle {
            id: fill

            height: parent.height
            width: track.indeterminate ? parent.width / 4 : track.position * parent.width
            radius: height / 2
            color: Theme.accent

            SequentialAnimation on x {
                running: track.indeterminate && track.visible && Theme.transition > 0
                loops: Animation.Infinite
                onRunningChanged: fill.x = 0

                NumberAnimation {
                    from: 0
                    to: track.width * 3 / 4
                    duration: Theme.transition * 8
                    easing.type: Easing.InOutQuad
                }
                NumberAnimation {
                    from: track.width * 3 / 4
                    to: 0
                    duration: Theme.transition * 8
                    easing.type: Easing.InOutQuad
                }
            }
        }
    }
}
