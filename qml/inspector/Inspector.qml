pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// The numbers: the selection, the GPU at the cursor, the selected kernel.
InspectorPane {
    id: panel

    required property TimelineController controller
    readonly property InspectorModel facts: controller.inspector
    property bool constantsShown: false

    InspectorHead {
        visible: text !== ""
        text: panel.facts.spanTitle
    }
    FactList {
        facts: panel.facts.span
    }
    Asked {
        tables: panel.facts.whatIf
        shortcutText: KeyMap.hint("whatIf")
    }
    InspectorHead {
        visible: panel.controller.marks.count > 0
        text: "Marks"
    }
    FactList {
        facts: panel.controller.marks.distances
    }
    InspectorHead {
        visible: text !== ""
        text: panel.facts.selectionTitle
        busy: panel.facts.computing
        copyable: true
        onCopyWanted: panel.facts.copy()
    }
    InspectorText {
        text: panel.facts.errorText
        color: Theme.warning
    }
    InspectorText {
        text: panel.facts.engineText
    }
    FactList {
        facts: panel.facts.selection
    }
    KernelTables {
        kernels: panel.facts.kernels
        windowText: panel.facts.windowText
    }
    Repeater {
        model: panel.facts.asked
        delegate: Asked {
            required property AskedTables modelData

            tables: modelData
            windowText: panel.facts.windowText
        }
    }
    InspectorHead {
        visible: text !== ""
        text: panel.facts.cursorTitle
    }
    FactList {
        facts: panel.facts.cursor
    }
    InspectorHead {
        visible: telemetry.implicitHeight > 0
        text: "Telemetry · %1".arg(panel.facts.windowText)
    }
    FactList {
        id: telemetry

        facts: panel.facts.telemetry
    }
    UiButton {
        visible: panel.facts.constantsText !== ""
        checkable: true
        checked: panel.constantsShown
        text: panel.facts.constantsText
        toolTip: panel.constantsShown ? "Hides them" : "Shows them with their values"
        onToggled: panel.constantsShown = checked
    }
    FactList {
        visible: panel.constantsShown
        facts: panel.facts.constants
    }
    InspectorTable {
        table: panel.facts.gpus
        title: "Per GPU"
        over: panel.facts.windowText
        stacked: false
    }

    // A question, and what answers it while it is asked.
    component Asked: Column {
        id: asked

        required property AskedTables tables
        property string windowText: ""
        property alias shortcutText: question.shortcutText

        Layout.fillWidth: true
        spacing: Theme.spaceXs
        visible: asked.tables.available || asked.tables.asked

        UiButton {
            id: question

            checkable: true
            checked: asked.tables.asked
            text: asked.tables.question
            toolTip: asked.tables.tip
            onToggled: asked.tables.asked = checked
        }
        InspectorText {
            width: asked.width
            text: asked.tables.text
        }
        Repeater {
            model: asked.tables.tables
            delegate: InspectorTable {
                required property TableModel modelData

                width: asked.width
                table: modelData
                over: asked.tables.ofWholeRuns ? "over the whole run" : asked.windowText
            }
        }
    }
}
