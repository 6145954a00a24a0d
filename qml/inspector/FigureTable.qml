pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// A sortable table as narrow as the inspector. Several figures stand under their name, where names are long.
Column {
    id: view

    required property TableModel table
    readonly property int columns: table.heads.count
    property bool stacked: columns > 3
    property int most: table.count // rows that are shown before all are asked for
    property bool all: false
    readonly property double cellWidth: columns === 0 ? 0 : width / (stacked ? columns - 1 : columns > 3 ? columns : columns + 1)

    Layout.fillWidth: true
    visible: table.count > 0
    Accessible.role: Accessible.Table
    Accessible.name: table.title

    Flow {
        width: view.width
        height: view.stacked ? 2 * Theme.hitTarget - Theme.spaceXs : Theme.hitTarget

        Repeater {
            model: view.table.heads
            delegate: UiTableHead {
                required property int index
                required property string title
                required tip
                required number
                required order

                width: index > 0 ? view.cellWidth : view.stacked ? view.width : view.width - (view.columns - 1) * view.cellWidth
                height: index === 0 && view.stacked ? Theme.hitTarget - Theme.spaceXs : Theme.hitTarget
                leftPadding: index === 0 ? 0 : Theme.hairline
                rightPadding: 0
                plain: true
                label: title
                onClicked: view.table.sortBy(index)
            }
        }
    }
    Repeater {
        model: view.table
        delegate: UiPressable {
            id: row

            required property int index
            required property string name
            required property string spoken
            required property list<string> cells

            visible: view.all || index < view.most
            width: view.width
            implicitHeight: implicitContentHeight + topPadding + bottomPadding
            topPadding: Theme.hairline * 2
            bottomPadding: Theme.hairline * 2
            hoverEnabled: true
            focusPolicy: view.table.selectable ? Qt.TabFocus : Qt.NoFocus
            onClicked: view.table.select(index)
            Accessible.role: Accessible.Row
            Accessible.name: row.name
            Accessible.description: view.table.selectable ? "%1. Shows the longest of them".arg(spoken) : spoken

            contentItem: FigureTableCells {
                name: row.name
                cells: row.cells
                stacked: view.stacked
                cellWidth: view.cellWidth
            }
            background: Rectangle {
                radius: Theme.radius
                color: view.table.selectable && row.hovered ? Theme.hovered : "transparent"

                UiFocusRing {
                    control: row
                }
            }

            UiToolTip {
                wanted: (row.contentItem as FigureTableCells).truncated && !view.table.selectable && row.hovered
                text: row.name
            }
        }
    }
    UiButton {
        visible: view.table.count > view.most
        quiet: true
        text: view.all ? "Show the first %1".arg(view.most) : "Show %1 more".arg(view.table.count - view.most)
        onClicked: view.all = !view.all
    }
    UiNote {
        width: parent.width
        topPadding: Theme.spaceXs
        visible: text !== ""
        wrapMode: Text.Wrap
        elide: Text.ElideNone
        font.pixelSize: Theme.smallSize
        text: view.table.note
    }
}
