pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// The ranked layouts: what they are ranked by and under, and the best; a click takes one into the form.
FocusScope {
    id: pane

    required property PredictController controller
    readonly property real cellWidth: Theme.spaceXl * 5
    readonly property real stepWidth: Theme.spaceXl * 6
    // What the width leaves room for behind the name.
    readonly property int cells: Math.max(1, Math.min(heads.length - 1, 1 + Math.floor((width - stepWidth - Theme.spaceXl * 12) / cellWidth)))
    readonly property var heads: controller.layouts.heads
    readonly property real nameWidth: width - stepWidth - (cells - 1) * cellWidth - Theme.spaceS - Theme.spaceL

    implicitHeight: Theme.spaceXl * 12
    Accessible.role: Accessible.Table
    Accessible.name: qsTr("Ranked layouts")

    function widthOf(column: int): real {
        return column === 0 ? pane.nameWidth : column === 1 ? pane.stepWidth : pane.cellWidth;
    }

    Rectangle {
        anchors.fill: parent
        color: Theme.window
    }
    SettingsBar {
        id: bar

        width: parent.width
        name: qsTr("Ranked layouts")

        Repeater {
            model: pane.controller.ranking
            delegate: FigureSetting {
                onChosen: choice => pane.controller.chooseRanking(key, choice)
            }
        }
        UiButton {
            objectName: "stopSearch"
            visible: pane.controller.searching || pane.controller.searchStopped
            text: pane.controller.searching ? qsTr("Stop") : qsTr("Search again")
            onClicked: pane.controller.searching ? pane.controller.stopSearch() : pane.controller.searchAgain()
        }
        Item {
            width: Theme.spaceXl * 4
            height: Theme.controlHeight
            visible: pane.controller.searching

            UiProgressBar {
                anchors.verticalCenter: parent.verticalCenter
                width: parent.width
                value: pane.controller.searchProgress
                indeterminate: pane.controller.searchProgress < 0
            }
        }
        UiNote {
            objectName: "searchText"
            height: Math.max(Theme.controlHeight, implicitHeight)
            width: Math.min(implicitWidth, pane.width - Theme.spaceL)
            verticalAlignment: Text.AlignVCenter
            wrapMode: Text.Wrap
            elide: Text.ElideNone
            text: pane.controller.searching ? qsTr("Searching…") : pane.controller.searchStopped ? qsTr("Stopped: what is listed is of an earlier search") : pane.controller.rankingText
        }
    }
    Row {
        id: head

        anchors.top: bar.bottom
        x: Theme.spaceS

        Repeater {
            model: pane.cells + 1
            delegate: UiNote {
                required property int index

                width: pane.widthOf(index)
                height: Theme.hitTarget
                verticalAlignment: Text.AlignVCenter
                horizontalAlignment: index === 0 ? Text.AlignLeft : Text.AlignRight
                text: pane.heads[index]
            }
        }
    }
    ListView {
        id: list

        objectName: "layouts"
        anchors.top: head.bottom
        anchors.bottom: parent.bottom
        width: parent.width
        clip: true
        focus: true
        activeFocusOnTab: true
        boundsBehavior: Flickable.StopAtBounds
        model: pane.controller.layouts
        UiScrollBar.vertical: UiScrollBar {}
        Keys.onReturnPressed: pane.controller.takeLayout(list.currentIndex)
        Keys.onEnterPressed: pane.controller.takeLayout(list.currentIndex)

        delegate: T.Button {
            id: row

            required property int index
            required property string name
            required property list<string> cells
            required property string spoken
            required property bool onFront
            required property bool chosen

            width: list.width
            implicitHeight: Theme.hitTarget
            hoverEnabled: true
            focusPolicy: Qt.NoFocus
            Accessible.role: Accessible.Row
            Accessible.name: row.name
            Accessible.description: row.spoken
            Accessible.onPressAction: row.clicked()
            onClicked: {
                list.currentIndex = row.index;
                pane.controller.takeLayout(row.index);
            }

            contentItem: Row {
                leftPadding: Theme.spaceS

                UiText {
                    width: pane.nameWidth
                    height: row.height
                    verticalAlignment: Text.AlignVCenter
                    text: row.onFront ? qsTr("◆ %1").arg(row.name) : row.name
                    font.pixelSize: Theme.secondarySize
                    font.weight: row.chosen ? Font.DemiBold : Font.Normal
                    Accessible.ignored: true
                }
                Repeater {
                    model: pane.cells
                    delegate: UiText {
                        required property int index

                        width: pane.widthOf(index + 1)
                        height: row.height
                        verticalAlignment: Text.AlignVCenter
                        horizontalAlignment: Text.AlignRight
                        text: row.cells[index] ?? ""
                        font.pixelSize: Theme.secondarySize
                        Accessible.ignored: true
                    }
                }
            }
            background: Rectangle {
                color: row.chosen ? Theme.raised : row.hovered || (list.activeFocus && list.currentIndex === row.index) ? Theme.hovered : "transparent"
            }

            UiToolTip {
                wanted: row.hovered
                text: row.onFront ? qsTr("%1: on the front, nothing is better in both. Click to take it into the form").arg(row.name) : qsTr("%1: click to take it into the form").arg(row.name)
            }
        }
    }
    UiFocusRing {
        control: list
        anchors.margins: 0
        opacity: 0.5
    }
    UiSeparator {
        width: parent.width
    }
}
