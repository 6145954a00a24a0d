pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// The ranked layouts: what they are ranked by and under, and the best; a click takes one into the form.
FocusScope {
    id: pane

    required property PredictController controller
    implicitHeight: Theme.spaceXl * 12
    SettingsBar {
        id: bar

        width: parent.width
        name: "Ranked layouts"

        Repeater {
            model: pane.controller.ranking
            delegate: FigureSetting {
                onChosen: choice => pane.controller.chooseRanking(key, choice)
            }
        }
        UiButton {
            objectName: "stopSearch"
            visible: pane.controller.searching || pane.controller.searchStopped
            text: pane.controller.searching ? "Stop" : "Search again"
            onClicked: pane.controller.searching ? pane.controller.stopSearch() : pane.controller.searchAgain()
        }
        Item {
            width: Theme.spaceXl * 4
            height: Theme.controlHeight
            visible: pane.controller.searching

            UiProgressBar {
                anchors.verticalCenter: parent.verticalCenter
                width: parent.width
                fraction: pane.controller.searchProgress
            }
        }
        UiNote {
            objectName: "searchText"
            height: Math.max(Theme.controlHeight, implicitHeight)
            width: Math.min(implicitWidth, pane.width - Theme.spaceL)
            verticalAlignment: Text.AlignVCenter
            wrapMode: Text.Wrap
            elide: Text.ElideNone
            text: pane.controller.searching ? "Searching…" : pane.controller.searchStopped ? "Stopped: what is listed is of an earlier search" : pane.controller.rankingText
        }
    }
    UiTable {
        id: list

        anchors.top: bar.bottom
        anchors.bottom: parent.bottom
        width: parent.width
        focus: true
        table: pane.controller.layouts
        name: "Ranked layouts"
        sortable: false
        onMoved: row => list.current = row
        onPicked: row => {
            list.current = row;
            pane.controller.takeLayout(row);
        }
        onOpened: row => pane.controller.takeLayout(row)
    }
    UiSeparator {
        width: parent.width
    }
}
