pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// Saved comparisons, which run comes first, the settings, and the panels; wrapped where it is narrow.
SettingsBar {
    id: bar

    required property ComparisonController controller
    signal copyWanted

    name: "Compare"

    UiButton {
        id: savedButton

        objectName: "saved"
        menu: true
        label: !bar.controller.kept ? "Comparisons" : bar.controller.modified ? "%1 •".arg(bar.controller.savedName) : bar.controller.savedName
        toolTip: saved.visible ? "" : bar.controller.modified ? "Comparisons kept in this database; this one has changes that are not saved" : "Comparisons kept in this database"
        onClicked: saved.popup(savedButton, 0, savedButton.height)

        CompareSavedMenu {
            id: saved

            controller: bar.controller
            onNameWanted: renaming => nameSheet.askFor(renaming)
        }
    }
    UiButton {
        id: firstButton

        objectName: "first"
        visible: bar.controller.runLabels.length > 2
        width: Math.min(implicitWidth, Theme.sheetWidth * 0.4)
        label: bar.controller.runLabels.length > 0 ? (bar.controller.hasCaptures ? "%1 compared, base %2" : "%1 runs, base %2").arg(bar.controller.runLabels.length).arg(bar.controller.runLabels[0]) : ""
        toolTip: "The compared runs, their order and the base"
        onClicked: runsSheet.open()
    }
    UiButton {
        objectName: "captures"
        visible: bar.controller.hasCaptures && bar.controller.runLabels.length < 3
        primary: bar.controller.runLabels.length < 2
        text: "Runs and captures…"
        toolTip: "Compare captures of a run with each other, or with other runs"
        onClicked: runsSheet.open()
    }
    UiButton {
        objectName: "swap"
        visible: bar.controller.runLabels.length === 2
        text: "Swap A and B"
        toolTip: visible ? "%1, compared with %2".arg(bar.controller.runLabels[1]).arg(bar.controller.runLabels[0]) : ""
        onClicked: bar.controller.makeFirst(1)
    }
    Repeater {
        model: bar.controller.settings
        delegate: FigureSetting {
            snug: bar.width < Theme.spaceXl * 44
            onChosen: choice => bar.controller.choose(key, choice)
        }
    }
    UiButton {
        id: panelsButton

        objectName: "panels"
        menu: true
        text: "Board"
        toolTip: panels.visible ? "" : "What the board shows, and how"
        onClicked: panels.popup(panelsButton, 0, panelsButton.height)

        UiMenu {
            id: panels

            title: "Board"

            UiMenuItem {
                text: "Move the runs by hand…"
                enabled: bar.controller.runLabels.length > 1
                onTriggered: moveSheet.open()
            }
            UiMenuSeparator {}

            UiMenuItems {
                into: panels
                first: 2
                model: bar.controller.looks
                delegate: UiMenuItem {
                    required property string key
                    required property int current
                    required label

                    choice: true
                    checked: current === 1
                    onTriggered: bar.controller.choose(key, 1 - current)
                }
            }
        }
    }
    UiIconButton {
        objectName: "copy"
        enabled: bar.controller.ready
        iconName: "copy"
        text: "Copy verdict and cards as text"
        onClicked: bar.copyWanted()
    }
    CompareNameSheet {
        id: nameSheet

        home: bar
        controller: bar.controller
    }
    CompareRunsSheet {
        id: runsSheet

        home: bar
        controller: bar.controller
    }
    CompareMoveSheet {
        id: moveSheet

        home: bar
        controller: bar.controller
    }
}
