import QtQuick
import QtQuick.Templates as T
import Trainscope.App

// The bar of how far work is. While nothing is known of its total it moves, or rests with reduced motion.
T.ProgressBar {
    id: bar

    property real fraction: -1 // below 0: not known

    value: Math.max(0, fraction)
    indeterminate: fraction < 0
    implicitWidth: Theme.hitTarget * 8
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
