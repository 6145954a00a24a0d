pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// The numbers: the selection, the GPU at the cursor, the selected kernel.
InspectorPane {
    id: panel

    required property TimelineController controller
    readonly property InspectorModel facts: controller.inspector

    InspectorHead {
        visible: panel.facts.hasSpan
        text: "Kernel"
    }
    FactList {
        visible: panel.facts.hasSpan
        facts: panel.facts.span
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
    AskedFigures {
        table: panel.facts.kernels.above
        available: panel.facts.ranAboveLimit
        question: "What ran above the limit"
        toolTip: "Kernels by the energy and time they had while the power was above its limit"
    }
    AskedFigures {
        table: panel.facts.kernels.energy
        available: panel.facts.isEnergyTraced
        question: "Where the energy went"
        toolTip: "Energy of phases and kernels with its 90 % interval, as all readings of the power tell it"
    }
    MemoryTables {
        memory: panel.facts.memory
        available: panel.facts.hasMemory
    }
    KernelTables {
        kernels: panel.facts.kernels
    }
    InspectorHead {
        visible: text !== ""
        text: panel.facts.cursorTitle
    }
    FactList {
        facts: panel.facts.cursor
    }
    InspectorHead {
        visible: panel.facts.gpus.count > 0
        text: "Per GPU"
    }
    FigureTable {
        table: panel.facts.gpus
        stacked: false
        Accessible.name: "Figures per GPU"
    }
}
