pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// A name and its figures; under each other where they do not fit in one line.
T.Button {
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
    Keys.onReturnPressed: row.clicked()
    Keys.onEnterPressed: row.clicked()
    Accessible.role: Accessible.Row
    Accessible.name: row.name
    Accessible.description: selectable ? "%1. Shows the longest of them".arg(spoken) : spoken
    Accessible.onPressAction: row.clicked()

    contentItem: Item {
        implicitHeight: figures.y + figures.height

        UiText {
            id: label

            width: row.stacked ? parent.width : parent.width - figures.width
            text: row.name
            elide: Text.ElideMiddle
            font.pixelSize: Theme.secondarySize
        }
        Row {
            id: figures

            anchors.right: parent.right
            y: row.stacked ? label.height : 0

            Repeater {
                model: Math.max(0, row.cells.length - 1)
                delegate: UiText {
                    required property int index

                    width: row.cellWidth
                    horizontalAlignment: Text.AlignRight
                    text: row.cells[index + 1] ?? ""
                    font.pixelSize: row.stacked ? Theme.smallSize : Theme.secondarySize
                    color: row.stacked ? Theme.textSecondary : Theme.text
                }
            }
        }
    }
    background: Rectangle {
        radius: Theme.radius
        color: row.selectable && row.hovered ? Theme.hovered : "transparent"

        UiFocusRing {
            control: row
            visible: row.visualFocus
        }
    }

    UiToolTip {
        wanted: label.truncated && !row.selectable && row.hovered
        text: row.name
    }
}
