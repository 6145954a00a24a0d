pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// Runs side by side: tools, what happened, the board, and its inspector.
ViewPage {
    id: view

    body: canvas
    inspector: FigureInspector {
        controller: controller
    }
    exportable: controller
    told: controller.selectedTitle !== ""

    // One of the compared and how far it is moved along the time axis.
    component MovedRun: Row {
        id: row

        required property int index
        required property string modelData

        spacing: Theme.spaceM

        function moved(): string {
            return controller.movedSeconds(row.index).toLocaleString(Qt.locale(), "g", 12);
        }

        UiName {
            width: Theme.runListWidth
            height: Theme.controlHeight
            verticalAlignment: Text.AlignVCenter
            text: row.modelData
        }
        UiTextField {
            implicitWidth: Theme.hitTarget * 4
            label: "Seconds that %1 is moved".arg(row.modelData)
            text: row.moved()
            onActiveFocusChanged: {
                if (!activeFocus)
                    text = row.moved(); // instead of what was left unfinished, or is too far
            }
            inputMethodHints: Qt.ImhFormattedNumbersOnly
            validator: DoubleValidator {}
            onEditingFinished: controller.moveBySeconds(row.index, Number.fromLocaleString(Qt.locale(), text))
        }
    }

    ComparisonController {
        id: controller

        views: view.session.views
        active: view.visible
    }
    // Saved comparisons, which run comes first, the settings, and the panels; wrapped where it is narrow.
    SettingsBar {
        id: toolbar

        width: parent.width
        name: "Compare"

        UiButton {
            id: savedButton

            objectName: "saved"
            menu: true
            label: !controller.kept ? "Comparisons" : controller.modified ? "%1 •".arg(controller.savedName) : controller.savedName
            toolTip: saved.visible ? "" : controller.modified ? "Comparisons kept in this database; this one has changes that are not saved" : "Comparisons kept in this database"
            onClicked: saved.popup(savedButton, 0, savedButton.height)

            UiMenu {
                id: saved

                title: "Comparisons"

                UiMenuItem {
                    text: "Save"
                    enabled: controller.kept && controller.modified
                    onTriggered: controller.save()
                }
                UiMenuItem {
                    text: "Save as…"
                    enabled: controller.runLabels.length > 1
                    onTriggered: nameSheet.askFor(false)
                }
                UiMenuItem {
                    text: "Rename…"
                    enabled: controller.kept
                    onTriggered: nameSheet.askFor(true)
                }
                UiMenuItem {
                    text: "Remove"
                    iconName: "trash"
                    enabled: controller.kept
                    onTriggered: controller.removeSaved()
                }
                UiMenuSeparator {
                    visible: controller.savedNames.length > 0
                    height: visible ? implicitHeight : 0
                }
                UiMenuItems {
                    into: saved
                    first: 5
                    model: controller.savedNames
                    delegate: UiMenuItem {
                        required property string modelData

                        label: modelData
                        choice: true
                        checked: modelData === controller.savedName
                        onTriggered: controller.openSaved(modelData)
                    }
                }
            }
        }
        UiButton {
            objectName: "first"
            visible: controller.hasCaptures || controller.runLabels.length > 2
            primary: controller.runLabels.length < 2
            width: Math.min(implicitWidth, Theme.sheetWidth * 0.4)
            label: controller.runLabels.length > 2 ? (controller.hasCaptures ? "%1 compared, base %2" : "%1 runs, base %2").arg(controller.runLabels.length).arg(controller.runLabels[0]) : "Runs and captures…"
            toolTip: "The compared runs and captures, their order and the base"
            onClicked: runsSheet.open()
        }
        UiButton {
            objectName: "swap"
            visible: controller.runLabels.length === 2
            text: "Swap A and B"
            toolTip: visible ? "%1, compared with %2".arg(controller.runLabels[1]).arg(controller.runLabels[0]) : ""
            onClicked: controller.makeFirst(1)
        }
        ViewOptions {
            settings: controller.settings
            switches: controller.looks
            onChosen: (key, choice) => controller.choose(key, choice)

            UiSectionHeader {
                visible: controller.runLabels.length > 1
                text: "Moved by hand, seconds to the right"
            }
            Repeater {
                model: controller.runLabels.length > 1 ? controller.runLabels : []
                delegate: MovedRun {}
            }
        }
        UiIconButton {
            objectName: "copy"
            enabled: controller.ready
            iconName: "copy"
            text: "Copy verdict and cards as text"
            onClicked: view.session.copyText(controller.text)
        }
        UiNameSheet {
            id: nameSheet

            property bool renaming: false
            readonly property bool taken: controller.isTaken(nameSheet.name) && nameSheet.name.trim() !== controller.savedName

            home: toolbar
            title: renaming ? "Rename the comparison" : "Save the comparison"
            subtitle: taken ? renaming ? "There is a comparison of that name." : "Replaces the comparison of that name." : "The runs, settings, panels and the theme are kept in the database."
            label: "Name of the comparison"
            doneText: renaming ? "Rename" : "Save"
            fieldName: "comparisonName"
            faulty: renaming && taken
            onNamed: renaming ? controller.renameSaved(nameSheet.name) : controller.saveAs(nameSheet.name)

            function askFor(rename: bool) {
                renaming = rename;
                ask(controller.savedName);
            }
        }
        CompareRunsSheet {
            id: runsSheet

            home: toolbar
            controller: controller
        }
    }
    FigureCanvas {
        id: canvas

        anchors.top: toolbar.bottom
        anchors.bottom: parent.bottom
        width: parent.width
        controller: controller
        focus: true
        onScrollChanged: controller.scroll = canvas.scroll
        Accessible.description: controller.ready ? controller.text : controller.emptyText
    }
    Connections {
        target: controller

        function onScrollWanted() {
            canvas.scrollTo(controller.scroll);
        }
    }
}
