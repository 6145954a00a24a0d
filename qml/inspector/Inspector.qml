pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// The numbers: the selection, the GPU at the cursor, the selected kernel.
FocusScope {
    id: panel

    required property TimelineController controller
    readonly property InspectorModel facts: controller.inspector

    implicitWidth: Theme.inspectorWidth
    Accessible.role: Accessible.Pane
    Accessible.name: qsTr("Inspector")

    Rectangle {
        anchors.fill: parent
        color: Theme.panel
    }
    UiSeparator {
        height: parent.height
    }
    Flickable {
        id: flick

        anchors.fill: parent
        contentHeight: column.height + 2 * Theme.spaceM
        boundsBehavior: Flickable.StopAtBounds
        clip: true
        activeFocusOnTab: true
        focus: true
        Keys.onUpPressed: flick.flick(0, Theme.inspectorWidth)
        Keys.onDownPressed: flick.flick(0, -Theme.inspectorWidth)

        ColumnLayout {
            id: column

            x: Theme.spaceL
            y: Theme.spaceM
            width: flick.width - 2 * Theme.spaceL
            spacing: Theme.spaceXs

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
            UiText {
                Layout.fillWidth: true
                visible: text !== ""
                text: panel.facts.errorText
                color: Theme.warning
                wrapMode: Text.Wrap
            }
            FactList {
                facts: panel.facts.selection
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
    }
    UiScrollBar {
        anchors.right: parent.right
        height: parent.height
        orientation: Qt.Vertical
        size: flick.visibleArea.heightRatio
        position: flick.visibleArea.yPosition
        interactive: false
    }
    UiFocusRing {
        control: flick
        anchors.margins: 0
    }
}
