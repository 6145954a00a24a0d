pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// The value of a lane at the cursor, below its name: of several runs a line each in their order,
// where the pointer is over the lane that of what it points at.
UiRaised {
    id: tag

    required property TimelineController controller
    required property real originY
    required property int index
    required property real laneY
    required property real laneHeight
    required property string readout
    readonly property bool pointed: controller.cursor.hoverLane === index && controller.cursor.tipText === ""
    readonly property bool several: controller.runColors.length > 1 && !pointed
    readonly property real most: controller.lanes.nameWidth - 2 * Theme.spaceXs
    readonly property real marks: several ? Theme.spaceM : 0

    objectName: "readout" + index
    x: Theme.spaceXs
    y: laneY - originY + laneHeight - height - Theme.hairline * 2
    width: Math.min(label.implicitWidth + marks + Theme.spaceM, most)
    height: Math.min(label.height + Theme.spaceXs, laneHeight - Theme.hairline * 4)
    clip: true
    visible: controller.cursor.visible && label.text !== ""
    border.color: pointed ? Theme.outline : Theme.line
    Accessible.ignored: true // the description of the lane has it

    Repeater {
        model: tag.several ? tag.controller.runColors : []
        delegate: Rectangle {
            required property int index
            required property int modelData

            x: Theme.spaceXs + Theme.hairline
            y: label.y + label.lineHeight * (index + 0.5) - height / 2
            width: Theme.spaceS
            height: Theme.spaceS
            radius: Theme.hairline * 2
            color: Theme.seriesColor(modelData)
        }
    }
    UiText {
        id: label

        x: Theme.spaceS + tag.marks
        y: Theme.spaceXs / 2
        width: Math.min(implicitWidth, tag.most - tag.marks - Theme.spaceM)
        text: tag.pointed ? tag.controller.cursor.hoverText : tag.readout
        font.pixelSize: Theme.secondarySize
        wrapMode: tag.several ? Text.NoWrap : Text.Wrap
        lineHeightMode: Text.FixedHeight
        lineHeight: Math.round(Theme.secondarySize * 1.35)
    }
}
