pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// The cells of a row of a narrow table.
Item {
    id: content

    required property string name
    required property list<string> cells
    required property bool stacked
    required property double cellWidth
    readonly property alias truncated: label.truncated

    implicitHeight: figures.y + figures.height

    UiText {
        id: label

        width: content.stacked ? content.width : content.width - figures.width
        text: content.name
        elide: Text.ElideMiddle
        font.pixelSize: Theme.secondarySize
    }
    Row {
        id: figures

        anchors.right: parent.right
        y: content.stacked ? label.height : 0

        Repeater {
            model: Math.max(0, content.cells.length - 1)
            delegate: UiText {
                required property int index

                width: content.cellWidth
                horizontalAlignment: Text.AlignRight
                text: content.cells[index + 1] ?? ""
                font.pixelSize: content.stacked ? Theme.smallSize : Theme.secondarySize
                color: content.stacked ? Theme.textSecondary : Theme.text
            }
        }
    }
}
