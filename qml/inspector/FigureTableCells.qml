pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// What a row of figures shows.
Item {
    id: content

    required property string name
    required property list<string> figures
    required property bool stacked
    required property double cellWidth
    readonly property bool truncated: label.truncated

    implicitHeight: cells.y + cells.height

    UiText {
        id: label

        width: content.stacked ? content.width : content.width - cells.width
        text: content.name
        elide: Text.ElideMiddle
        font.pixelSize: Theme.secondarySize
    }
    Row {
        id: cells

        anchors.right: parent.right
        y: content.stacked ? label.height : 0

        Repeater {
            model: content.figures
            delegate: UiText {
                required property string modelData

                width: content.cellWidth
                horizontalAlignment: Text.AlignRight
                text: modelData
                font.pixelSize: content.stacked ? Theme.smallSize : Theme.secondarySize
                color: content.stacked ? Theme.textSecondary : Theme.text
            }
        }
    }
}
