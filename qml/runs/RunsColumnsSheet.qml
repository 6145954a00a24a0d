pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// A sheet that chooses the columns of the table of runs.
UiSheet {
    id: sheet

    required property RunsController controller

    title: "Columns"
    subtitle: "The name of the run is always shown."
    preferredWidth: Theme.sheetWidth
    preferredHeight: Theme.hitTarget * 24

    GridView {
        id: grid

        anchors.fill: parent
        anchors.margins: Theme.spaceL
        clip: true
        activeFocusOnTab: true
        boundsBehavior: Flickable.StopAtBounds
        cellWidth: Math.floor(width / 3)
        cellHeight: Theme.controlHeight
        model: sheet.visible ? sheet.controller.columnTitles : []
        UiScrollBar.vertical: UiScrollBar {}

        delegate: UiCheckBox {
            id: box

            required property int index
            required property string modelData

            objectName: "column" + index
            width: grid.cellWidth - Theme.spaceS
            text: modelData
            enabled: index > 0
            checked: sheet.controller.columnsShown[index]
            onToggled: sheet.controller.toggleColumn(index)

            UiToolTip {
                wanted: box.hovered
                text: sheet.controller.columnDefinitions[box.index]
            }
        }
    }
    buttons: [
        UiButton {
            text: "The usual ones"
            onClicked: sheet.controller.showUsualColumns()
        },
        UiButton {
            primary: true
            text: "Done"
            onClicked: sheet.close()
        }
    ]
}
