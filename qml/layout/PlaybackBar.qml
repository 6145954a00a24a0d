import QtQuick
import Trainscope
import Trainscope.App

// Play, the moment, the way through the run, the speed.
Row {
    id: bar

    required property Playback playback

    spacing: Theme.spaceXs
    height: Theme.controlHeight

    UiIconButton {
        objectName: "play"
        iconName: bar.playback.playing ? "pause" : "play"
        text: bar.playback.playing ? "Pause" : "Play"
        shortcutText: "Space"
        onClicked: bar.playback.playing = !bar.playback.playing
    }
    UiSlider {
        objectName: "moment"
        label: "Moment of the run"
        place: bar.playback.position
        onChosen: place => bar.playback.position = place
        Accessible.description: bar.playback.timeText
    }
    TextMetrics {
        id: widest

        font.family: Theme.fontFamily
        font.pixelSize: Theme.bodySize
        text: "00000.0 s"
    }
    UiText {
        anchors.verticalCenter: parent.verticalCenter
        width: Math.ceil(widest.advanceWidth)
        horizontalAlignment: Text.AlignRight
        text: bar.playback.timeText
    }
    UiNote {
        anchors.verticalCenter: parent.verticalCenter
        text: "of %1".arg(bar.playback.lengthText)
    }
    UiComboBox {
        objectName: "speed"
        implicitWidth: Theme.spaceXl * 3
        label: "Speed"
        model: bar.playback.speeds
        currentIndex: bar.playback.speed
        onActivated: index => bar.playback.speed = index
    }
}
