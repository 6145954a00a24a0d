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
    required property list<string> figures
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
    Accessible.name: row.name + " " + row.figures.join(" ")
    Accessible.description: selectable ? qsTr("Shows the longest of them") : ""

    contentItem: Item {
        implicitHeight: cells.y + cells.height

        UiText {
            id: label

            width: row.stacked ? parent.width : parent.width - cells.width
            text: row.name
            elide: Text.ElideMiddle
            font.pixelSize: Theme.secondarySize
        }
        Row {
            id: cells

            anchors.right: parent.right
            y: row.stacked ? label.height : 0

            Repeater {
                model: row.figures
                delegate: UiText {
                    required property string modelData

                    width: row.cellWidth
                    horizontalAlignment: Text.AlignRight
                    text: modelData
                    font.pixelSize: row.stacked ? Theme.smallSize : Theme.secondarySize
                    color: row.stacked ? Theme.textSecondary : Theme.text
                    Accessible.ignored: true
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
        visible: label.truncated && !row.selectable && row.hovered
        text: row.name
    }
}
