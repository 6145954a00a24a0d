pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// A name and its figures; under each other where they do not fit in one line.
UiPressable {
    id: row

    required property int index
    required property string name
    required property string spoken
    required property list<string> cells
    required property bool selectable
    required property bool stacked
    required property double cellWidth

    implicitHeight: implicitContentHeight + topPadding + bottomPadding
    topPadding: Theme.hairline * 2
    bottomPadding: Theme.hairline * 2
    hoverEnabled: true
    focusPolicy: selectable ? Qt.TabFocus : Qt.NoFocus
    Accessible.role: Accessible.Row
    Accessible.name: row.name
    Accessible.description: selectable ? "%1. Shows the longest of them".arg(spoken) : spoken

    contentItem: Cells {
        name: row.name
        cells: row.cells
        stacked: row.stacked
        cellWidth: row.cellWidth
    }
    background: Rectangle {
        radius: Theme.radius
        color: row.selectable && row.hovered ? Theme.hovered : "transparent"

        UiFocusRing {
            control: row
        }
    }

    UiToolTip {
        wanted: (row.contentItem as Cells).truncated && !row.selectable && row.hovered
        text: row.name
    }

    // The cells of a row of a narrow table.
    component Cells: Item {
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
}
