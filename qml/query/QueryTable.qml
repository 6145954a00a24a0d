pragma ComponentBehavior: Bound

import QtQml.Models
import QtQuick
import Trainscope
import Trainscope.App

// The rows, of which only those that are seen exist. A head sorts by its column.
FocusScope {
    id: table

    required property QueryController controller
    signal copyWanted(int row)

    Accessible.role: Accessible.Table
    Accessible.name: qsTr("Answer, %1").arg(controller.outcome)

    Rectangle {
        anchors.fill: parent
        color: Theme.window
    }
    Rectangle {
        id: heads

        width: parent.width
        height: Theme.hitTarget
        color: Theme.panel

        // Scrolled with the rows.
        Flickable {
            anchors.fill: parent
            clip: true
            interactive: false
            contentX: grid.contentX
            contentWidth: names.width

            Row {
                id: names

                Repeater {
                    model: table.controller.table.heads
                    delegate: QueryHead {
                        required property int index
                        required property string modelData

                        objectName: "head" + index
                        width: table.controller.table.widthOf(index)
                        label: modelData
                        sorted: table.controller.table.sortColumn === index
                        descending: table.controller.table.descending
                        onClicked: table.controller.sortBy(index)
                    }
                }
            }
        }
        UiSeparator {
            anchors.bottom: parent.bottom
            width: parent.width
        }
    }
    TableView {
        id: grid

        objectName: "grid"
        anchors.top: heads.bottom
        anchors.bottom: parent.bottom
        width: parent.width
        clip: true
        focus: true
        activeFocusOnTab: true
        boundsBehavior: Flickable.StopAtBounds
        reuseItems: true
        model: table.controller.table
        selectionModel: ItemSelectionModel {
            model: table.controller.table
        }
        columnWidthProvider: column => table.controller.table.widthOf(column)
        rowHeightProvider: () => Theme.hitTarget
        UiScrollBar.vertical: UiScrollBar {}
        UiScrollBar.horizontal: UiScrollBar {}
        Keys.onPressed: event => {
            event.accepted = event.matches(StandardKey.Copy) && grid.currentRow >= 0;
            if (event.accepted)
                table.copyWanted(grid.currentRow);
        }
        delegate: QueryCell {
            currentRow: grid.currentRow
        }

        Connections {
            target: table.controller.table

            function onChanged() {
                grid.forceLayout();
            }
        }
    }
    UiFocusRing {
        control: grid
        anchors.margins: 0
        opacity: 0.5
    }
}
