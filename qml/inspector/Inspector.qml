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
        text: qsTr("Kernel")
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
    UiButton {
        visible: panel.facts.ranAboveLimit || panel.facts.kernels.aboveWanted
        checkable: true
        checked: panel.facts.kernels.aboveWanted
        text: qsTr("What ran above the limit")
        toolTip: qsTr("Kernels by the energy and time they had while the power was above its limit")
        onToggled: panel.facts.kernels.aboveWanted = checked
    }
    InspectorText {
        text: panel.facts.kernels.aboveText
    }
    InspectorHead {
        visible: panel.facts.kernels.above.count > 0
        text: panel.facts.kernels.above.title
    }
    FigureTable {
        figures: panel.facts.kernels.above
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
        text: qsTr("Per GPU")
    }
    GpuTable {
        visible: panel.facts.gpus.count > 0
        gpus: panel.facts.gpus
    }
}
