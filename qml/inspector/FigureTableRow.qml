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

    contentItem: FigureTableCells {
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
        wanted: (row.contentItem as FigureTableCells).truncated && !row.selectable && row.hovered
        text: row.name
    }
}
