pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// A sortable table as narrow as the inspector. Several figures stand under their name.
Column {
    id: table

    required property FigureTableModel figures
    readonly property int columns: figures.heads.length
    readonly property bool stacked: columns > 3
    readonly property double cellWidth: columns === 0 ? 0 : width / (stacked ? columns - 1 : columns + 1)

    Layout.fillWidth: true
    visible: figures.count > 0
    Accessible.role: Accessible.Table
    Accessible.name: figures.title

    Item {
        width: table.width
        height: cells.y + cells.height

        FigureTableHead {
            id: name

            width: table.stacked ? table.width : table.width - cells.width
            figures: table.figures
            column: 0
        }
        Row {
            id: cells

            anchors.right: parent.right
            y: table.stacked ? name.height - Theme.spaceXs : 0

            Repeater {
                model: Math.max(0, table.columns - 1)
                delegate: FigureTableHead {
                    required property int index

                    width: table.cellWidth
                    figures: table.figures
                    column: index + 1
                }
            }
        }
    }
    Repeater {
        model: table.figures
        delegate: FigureTableRow {
            width: table.width
            selectable: table.figures.selectable
            stacked: table.stacked
            cellWidth: table.cellWidth
            onClicked: table.figures.select(index)
        }
    }
    UiNote {
        width: parent.width
        topPadding: Theme.spaceXs
        visible: text !== ""
        wrapMode: Text.Wrap
        elide: Text.ElideNone
        font.pixelSize: Theme.smallSize
        text: table.figures.note
    }
}
