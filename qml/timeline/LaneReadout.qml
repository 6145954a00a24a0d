import QtQuick
import Trainscope
import Trainscope.App

// The value of one lane at the cursor.
CursorTag {
    id: readout

    required property real originY
    required property real laneY
    required property real laneHeight
    required property string readout

    y: laneY - originY + Theme.spaceXs
    visible: controller.cursor.visible && readout.readout !== "" && height < laneHeight
    text: readout.readout
}
