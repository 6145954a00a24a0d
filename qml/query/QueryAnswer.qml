pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// The answer to a query: a table, a chart beside it, its duration, or the error.
Item {
    id: answer

    required property QueryController controller
    signal copyWanted(int row)
    signal askWanted(string sql)

    ColumnLayout {
        anchors.fill: parent
        spacing: 0

        UiNotice {
            Layout.fillWidth: true
            objectName: "error"
            visible: answer.controller.errorText !== ""
            iconName: "error"
            severe: true
            text: answer.controller.errorText
        }
        UiNotice {
            Layout.fillWidth: true
            objectName: "cut"
            visible: answer.controller.cutText !== ""
            text: answer.controller.cutText
        }
        T.SplitView {
            Layout.fillWidth: true
            Layout.fillHeight: true
            visible: answer.controller.answered
            orientation: Qt.Horizontal
            handle: QueryHandle {
                vertical: true
                onMoved: by => chart.T.SplitView.preferredWidth = chart.width - by
            }

            UiTable {
                id: rows

                T.SplitView.fillWidth: true
                T.SplitView.minimumWidth: Theme.runListWidth / 2
                table: answer.controller.table
                name: "Answer, %1".arg(answer.controller.outcome)
                pinned: false
                onMoved: row => rows.current = row
                onPicked: row => rows.current = row
                onCopyWanted: row => answer.copyWanted(row)
            }
            FigureCanvas {
                id: chart

                T.SplitView.preferredWidth: answer.width / 2
                T.SplitView.minimumWidth: Theme.runListWidth / 2
                visible: answer.controller.chartShown
                controller: answer.controller
                quiet: true

                MessageBox {
                    anchors.centerIn: parent
                    title: answer.controller.emptyText
                }
            }
        }
        // Questions to begin with, in the answer's place before the first one.
        Flickable {
            id: area

            Layout.fillWidth: true
            Layout.fillHeight: true
            visible: !answer.controller.answered
            contentHeight: column.height + 2 * Theme.spaceL
            clip: true
            boundsBehavior: Flickable.StopAtBounds
            UiScrollBar.vertical: UiScrollBar {}

            UiFollowFocus {
                scrolled: area
            }
            Column {
                id: column

                x: Theme.spaceL
                y: Theme.spaceL
                width: area.width - 2 * Theme.spaceL
                spacing: Theme.spaceXs

                UiText {
                    width: parent.width
                    text: "Ask the database in SQL, or begin with one of these"
                    Accessible.role: Accessible.Heading
                    Accessible.name: text
                }
                Repeater {
                    model: answer.controller.examples
                    delegate: QueryLine {
                        required property string title
                        required property string sql

                        width: column.width
                        label: title
                        tip: sql
                        onClicked: answer.askWanted(sql)
                    }
                }
            }
        }
        UiBar {
            Layout.fillWidth: true
            lower: true

            UiNote {
                Layout.fillWidth: true
                objectName: "outcome"
                text: answer.controller.stopped ? "Stopped." : answer.controller.loading ? "Asking… %1".arg(answer.controller.progress.text) : answer.controller.exporting ? "Writing…" : answer.controller.outcome
                Accessible.role: Accessible.StaticText
                Accessible.name: text
            }
        }
    }
    BusyBox {
        anchors.centerIn: parent
        busy: answer.controller.loading
        text: answer.controller.progress.text
        progress: answer.controller.progress.fraction
        onCancelWanted: answer.controller.stop()
    }
}
