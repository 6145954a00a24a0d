pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// A job that nobody has run: its form, and the board of what is predicted.
ViewPage {
    id: view

    readonly property alias controller: controller
    // Room for form, board and inspector beside each other.
    roomy: width >= Theme.runListWidth + 2 * Theme.inspectorWidth

    body: canvas
    inspector: FigureInspector {
        controller: controller
        hint: "Click a part of the figure for its numbers."
    }
    exportable: controller
    told: controller.selectedTitle !== ""

    PredictController {
        id: controller

        views: view.session.views
        active: view.visible
        onMissed: row => {
            if (view.activeFocus)
                (fields.itemAt(row) as UiFormField).take();
        }
    }
    InspectorPane {
        id: form

        implicitWidth: Theme.runListWidth
        width: view.roomy ? implicitWidth : Math.min(implicitWidth, view.width * 0.4)
        height: parent.height
        leading: true
        Accessible.name: "What is predicted"

        Repeater {
            id: fields

            model: controller.form
            delegate: UiFormField {
                Layout.fillWidth: true
                onEdited: text => controller.form.set(key, text)
                onMoved: place => controller.form.slide(key, place)
                onStepped: up => controller.form.step(key, up)
            }
        }
    }
    // Controls of the job's source and of the board's tracks.
    SettingsBar {
        id: toolbar

        anchors.left: form.right
        anchors.right: parent.right
        name: "Predict"

        UiButton {
            objectName: "fromRun"
            width: Math.min(implicitWidth, Theme.runListWidth)
            enabled: controller.runName !== ""
            label: controller.runName !== "" ? "From %1".arg(controller.runName) : "From the run"
            toolTip: "The job of the selected run, with its measured step beside every change"
            onClicked: controller.fillFromRun()
        }
        UiButton {
            objectName: "keep"
            enabled: controller.keepable
            text: "Keep"
            toolTip: "Leaves this answer on the board, beside those that follow"
            onClicked: controller.keep()
        }
        UiButton {
            objectName: "rank"
            text: "Rank layouts"
            toolTip: "All layouts of the model on the cluster, the best first"
            choice: true
            checked: controller.ranked
            onClicked: controller.ranked = !controller.ranked
        }
        UiButton {
            objectName: "open"
            enabled: controller.ready
            text: "Open as run"
            toolTip: "Writes the prediction into the database as a run, for every view"
            onClicked: controller.openAsRun()
        }
        UiButton {
            objectName: "compare"
            enabled: controller.comparable
            text: "Compare with measured"
            toolTip: controller.comparable ? "The prediction as a run beside the measured one that the form was filled from" : "Fill the form from a measured run first"
            onClicked: controller.comparisonQuestion !== "" ? consent.put() : controller.compareWithMeasured()

            UiQuestionSheet {
                id: consent

                home: toolbar
                title: "Compare with measured?"
                question: controller.comparisonQuestion
                consentText: "Keep and compare"
                preferredHeight: Theme.hitTarget * 12
                onAgreed: controller.compareWithMeasured()
            }
        }
        ViewOptions {
            settings: controller.ranking
            onChosen: (key, choice) => controller.chooseRanking(key, choice)

            UiButton {
                objectName: "calibrated"
                text: "By measured runs"
                toolTip: controller.calibrationText !== "" ? controller.calibrationText : "Brings speeds, power and heat to what the measured runs of the database tell"
                choice: true
                checked: controller.calibrated
                onClicked: controller.calibrated = !controller.calibrated
            }
        }
        // The last, so that nothing moves when it comes.
        UiButton {
            objectName: "clear"
            visible: controller.keptCount > 0
            text: "Clear %1".arg(controller.keptCount)
            toolTip: "Takes what is kept and what was measured off the board"
            onClicked: controller.forgetKept()
        }
    }
    FigureCanvas {
        id: canvas

        anchors.top: toolbar.bottom
        anchors.bottom: layouts.top
        anchors.left: form.right
        anchors.right: parent.right
        controller: controller
        focus: true
    }
    // The ranked layouts: what they are ranked by and under, and the best; a click takes one into the form.
    FocusScope {
        id: layouts

        anchors.bottom: footer.top
        anchors.left: form.right
        anchors.right: parent.right
        height: visible ? Math.min(Theme.hitTarget * 12, view.height * 0.4) : 0
        visible: controller.ranked

        SettingsBar {
            id: rankingBar

            width: parent.width
            name: "Ranked layouts"

            UiButton {
                objectName: "stopSearch"
                visible: controller.searching || controller.searchStopped
                text: controller.searching ? "Stop" : "Search again"
                onClicked: controller.searching ? controller.stopSearch() : controller.searchAgain()
            }
            UiNote {
                objectName: "searchText"
                height: Math.max(Theme.controlHeight, implicitHeight)
                width: Math.min(implicitWidth, layouts.width - Theme.spaceL)
                verticalAlignment: Text.AlignVCenter
                wrapMode: Text.Wrap
                elide: Text.ElideNone
                text: controller.searching ? "Searching… %1".arg(Math.max(0, Math.round(100 * controller.searchProgress))) + " %" : controller.searchStopped ? "Stopped: what is listed is of an earlier search" : controller.rankingText
            }
        }
        UiTable {
            id: ranked

            anchors.top: rankingBar.bottom
            anchors.bottom: parent.bottom
            width: parent.width
            focus: true
            table: controller.layouts
            name: "Ranked layouts"
            sortable: false
            tree: true
            onUnfoldWanted: row => controller.toggleTies(row)
            onMoved: row => ranked.current = row
            onPicked: row => {
                ranked.current = row;
                controller.takeLayout(row);
            }
            onOpened: row => controller.takeLayout(row)
        }
        UiSeparator {
            width: parent.width
        }
    }
    UiBar {
        id: footer

        anchors.bottom: parent.bottom
        anchors.left: form.right
        anchors.right: parent.right
        lower: true
        visible: verdict.text !== ""
        height: visible ? implicitHeight : 0

        UiNote {
            id: verdict

            Layout.fillWidth: true
            objectName: "verdict"
            wrapMode: Text.Wrap
            text: controller.rivalText !== "" ? controller.rivalText : controller.verdict
        }
        UiButton {
            objectName: "stopRival"
            visible: controller.rivalSearching
            text: "Stop"
            toolTip: "Stop comparing the clusters"
            onClicked: controller.stopRival()
        }
    }
}
