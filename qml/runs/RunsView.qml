pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// All runs as a table: filtered, sorted, described, and from here to the other views.
ViewPage {
    id: view

    body: table
    exportable: controller

    RunsController {
        id: controller

        objectName: "runsController"
        views: view.session.views
        active: view.visible
        onExpressionChanged: filter.text = expression
    }
    SettingsBar {
        id: bar

        width: parent.width
        name: "Runs"

        UiSearchField {
            id: filter

            objectName: "runsFilter"
            width: Math.min(Theme.runListWidth * 1.5, bar.width - 4 * Theme.hitTarget)
            placeholderText: "Filter: power > 600 and model ~ llama"
            label: "Filter the table by an expression"
            faulty: controller.expressionError !== ""
            onTextChanged: controller.expression = text
            Component.onCompleted: text = controller.expression
            Keys.onDownPressed: table.forceActiveFocus(Qt.TabFocusReason)
        }
        UiIconButton {
            id: help

            iconName: "help"
            text: controller.expressionHelp
        }
        UiButton {
            objectName: "columns"
            text: "Columns…"
            onClicked: columnsSheet.open()
        }
        UiText {
            height: Theme.controlHeight
            verticalAlignment: Text.AlignVCenter
            text: controller.headline
            color: Theme.textSecondary
        }
        UiText {
            height: Theme.controlHeight
            verticalAlignment: Text.AlignVCenter
            text: controller.chosenText
        }
        Repeater {
            model: table.ways
            delegate: UiButton {
                required property var modelData

                objectName: modelData.name
                enabled: controller.chosenCount >= modelData.least
                text: modelData.title
                toolTip: modelData.tip
                shortcutText: KeyMap.hint(modelData.keys)
                onClicked: controller.open(modelData.view)
            }
        }
        UiButton {
            objectName: "tagChosen"
            enabled: controller.chosenCount > 0
            text: "Tag…"
            toolTip: "Adds tags to the chosen runs"
            onClicked: tagSheet.ask("")
        }
        UiIconButton {
            id: more

            objectName: "runsMore"
            iconName: "more"
            text: "More"
            menuOpen: menu.visible
            onClicked: menu.popup(more, 0, more.height)
        }
        UiNote {
            height: Theme.controlHeight
            verticalAlignment: Text.AlignVCenter
            visible: text !== ""
            text: controller.measuringText
        }
        UiIconButton {
            objectName: "stopMeasuring"
            visible: controller.measuringText !== ""
            iconName: "close"
            text: "Stop measuring"
            onClicked: controller.cancel()
        }
        UiButton {
            visible: controller.stopped
            text: "Go on measuring"
            onClicked: controller.readAgain()
        }
    }
    Column {
        id: messages

        anchors.top: bar.bottom
        width: parent.width

        UiNotice {
            objectName: "expressionError"
            width: parent.width
            visible: controller.expressionError !== ""
            iconName: "warning"
            severe: true
            text: controller.expressionError
        }
        UiNotice {
            width: parent.width
            visible: controller.notes !== ""
            text: controller.notes
        }
    }
    RunsTable {
        id: table

        anchors.top: messages.bottom
        anchors.bottom: parent.bottom
        width: parent.width
        focus: true
        controller: controller
        subject: view.session.workspace.databasePath
        onCopyWanted: view.session.copyText(controller.chosenRowsText())
        onMenuWanted: menu.popup()
    }
    ReadingState {
        anchors.top: messages.bottom
        anchors.bottom: parent.bottom
        width: parent.width
        controller: controller
        emptyTitle: controller.emptyTitle
        below: true
        hidden: controller.table.count > 0
    }
    // All that can be done with the chosen runs.
    UiMenu {
        id: menu

        UiMenuItems {
            into: menu
            model: table.ways
            delegate: UiMenuItem {
                required property var modelData

                text: modelData.command
                enabled: controller.chosenCount >= modelData.least
                shortcutText: KeyMap.hint(modelData.keys)
                onTriggered: controller.open(modelData.view)
            }
        }
        UiMenuItem {
            text: "Predict with another layout…"
            enabled: controller.chosenCount === 1
            onTriggered: controller.predict()
        }
        UiMenuSeparator {}
        UiMenuItem {
            text: "Edit the tags"
            iconName: "edit"
            shortcutText: KeyMap.hint("tableTags")
            onTriggered: table.edit(table.row, "tags")
        }
        UiMenuItem {
            text: "Edit the note"
            iconName: "edit"
            shortcutText: KeyMap.hint("tableNote")
            onTriggered: table.edit(table.row, "note")
        }
        UiMenuItem {
            text: "Tag all that are chosen…"
            onTriggered: tagSheet.ask("")
        }
        UiMenuItem {
            text: "Undo"
            iconName: "undo"
            enabled: controller.canUndo
            shortcutText: KeyMap.hint("tableUndo")
            onTriggered: controller.undo()
        }
        UiMenuSeparator {}
        UiMenuItem {
            text: "Choose all that are listed"
            shortcutText: KeyMap.hint("runAll")
            onTriggered: controller.chooseAll()
        }
        UiMenuItem {
            text: "Copy the chosen rows"
            iconName: "copy"
            shortcutText: KeyMap.hint("tableCopy")
            onTriggered: view.session.copyText(controller.chosenRowsText())
        }
        UiMenuItem {
            text: "Copy all rows as CSV"
            iconName: "copy"
            onTriggered: view.session.copyText(controller.csv())
        }
    }
    RunsColumnsSheet {
        id: columnsSheet

        home: view
        controller: controller
    }
    UiNameSheet {
        id: tagSheet

        home: view
        title: "Tag the chosen runs"
        subject: view.session.workspace.databasePath
        label: "Tags, separated by commas"
        doneText: "Add"
        fieldName: "tagField"
        onNamed: controller.tagChosen(name)
    }
}
