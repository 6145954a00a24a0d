import QtQuick
import Trainscope
import Trainscope.App

// The value of one lane at the cursor.
Rectangle {
    id: readout

    required property TimelineController controller
    required property real originY
    required property real plotRight
    required property real laneY
    required property real laneHeight
    required property string readout

    x: Math.max(controller.plotX, Math.min(controller.cursorX + Theme.spaceS, plotRight - width))
    y: laneY - originY + Theme.spaceM
    width: text.implicitWidth + Theme.spaceM
    height: text.implicitHeight + Theme.spaceXs
    visible: controller.cursorVisible && readout.readout !== "" && height < laneHeight
    radius: Theme.radius
    color: Theme.raised
    border.color: Theme.line
    border.width: Theme.hairline

    UiText {
        id: text

        anchors.centerIn: parent
        text: readout.readout
        font.pixelSize: Theme.secondarySize
    }
}
