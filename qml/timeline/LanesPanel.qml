pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// The lanes beside the timeline: searched, shown, ordered, each with how it is drawn and how high it is.
FocusScope {
    id: panel

    required property TimelineController controller
    readonly property LanePicker picker: controller.picker
    property int dragRow: -1
    property int dropRow: -1
    signal closed
    signal deriveWanted(int lane)
    signal changeWanted(int lane)

    implicitWidth: Theme.inspectorWidth
    Accessible.role: Accessible.Pane
    Accessible.name: "Lanes"
    Keys.onEscapePressed: panel.closed()

    function open() {
        search.clear();
        list.currentIndex = -1;
        search.forceActiveFocus(Qt.ShortcutFocusReason);
    }
    function walk(by: int) {
        list.forceActiveFocus(Qt.OtherFocusReason);
        list.currentIndex = Math.max(0, Math.min(list.count - 1, list.currentIndex + by));
    }
    // Letters go on with the search.
    function type(text: string) {
        search.forceActiveFocus(Qt.OtherFocusReason);
        search.insert(search.length, text);
    }

    Rectangle {
        anchors.fill: parent
        color: Theme.panel
    }
    ColumnLayout {
        anchors.fill: parent
        anchors.rightMargin: Theme.hairline
        spacing: 0

        RowLayout {
            Layout.fillWidth: true
            Layout.leftMargin: Theme.spaceM
            Layout.rightMargin: Theme.spaceXs

            UiSectionHeader {
                Layout.fillWidth: true
                text: "Lanes"
            }
            UiIconButton {
                iconName: "close"
                text: "Close"
                shortcutText: "Esc"
                onClicked: panel.closed()
            }
        }
        UiSearchField {
            id: search

            objectName: "laneSearch"
            Layout.fillWidth: true
            Layout.leftMargin: Theme.spaceM
            Layout.rightMargin: Theme.spaceM
            focus: true
            placeholderText: "Search lanes: power, rank 3 …"
            label: "Search lanes"
            onTextChanged: {
                panel.picker.filter = text;
                list.currentIndex = text === "" ? -1 : 0;
            }
            Keys.onDownPressed: panel.walk(1)
            Keys.onUpPressed: panel.walk(-1)
            Keys.onReturnPressed: panel.picker.reveal(list.currentIndex)
            Keys.onEnterPressed: panel.picker.reveal(list.currentIndex)
        }
        Flow {
            Layout.fillWidth: true
            Layout.margins: Theme.spaceM
            Layout.bottomMargin: Theme.spaceS
            spacing: Theme.spaceXs

            Repeater {
                model: panel.picker.presets
                delegate: UiButton {
                    required property int index
                    required property string modelData
                    readonly property string reason: panel.picker.presetReasons[index] ?? ""

                    objectName: "preset" + index
                    text: modelData
                    enabled: reason === ""
                    toolTip: reason === "" ? "These lanes in the place of all others" : reason
                    onClicked: panel.picker.apply(index)
                }
            }
            UiButton {
                objectName: "deriveButton"
                text: "Derive…"
                toolTip: "A lane made from others: a difference, a ratio, a sum, a change per second"
                onClicked: panel.deriveWanted(panel.picker.laneAt(list.currentIndex))
            }
            UiButton {
                objectName: "resetLanes"
                quiet: true
                text: "Reset"
                toolTip: "The lanes that suit these runs"
                onClicked: panel.controller.lanes.reset()
            }
        }
        UiSeparator {
            Layout.fillWidth: true
        }
        ListView {
            id: list

            objectName: "laneRows"
            Layout.fillWidth: true
            Layout.fillHeight: true
            clip: true
            activeFocusOnTab: true
            boundsBehavior: Flickable.StopAtBounds
            highlightMoveDuration: 0
            currentIndex: -1
            model: panel.picker
            T.ScrollBar.vertical: UiScrollBar {}
            Accessible.role: Accessible.List
            Accessible.name: "Lanes, shown and possible"
            delegate: LanesRow {
                id: row

                width: ListView.view.width
                picker: panel.picker
                current: ListView.isCurrentItem
                onChosen: {
                    list.currentIndex = index;
                    list.forceActiveFocus(Qt.MouseFocusReason);
                }
                onChangeWanted: panel.changeWanted(row.lane)
                onDragged: sceneY => {
                    panel.dragRow = index;
                    panel.dropRow = list.indexAt(Theme.spaceM, list.contentItem.mapFromItem(null, 0, sceneY).y);
                }
                onDropped: {
                    panel.picker.drop(index, panel.dropRow);
                    panel.dropRow = -1;
                }

                Rectangle {
                    y: panel.dragRow < row.index ? row.height - height : row.headHeight
                    width: parent.width
                    height: Theme.hairline * 2
                    visible: panel.dropRow === row.index
                    color: Theme.accent
                }
            }
            Keys.onUpPressed: event => {
                if (event.modifiers & Qt.AltModifier)
                    list.currentIndex = panel.picker.moveBy(list.currentIndex, -1);
                else
                    list.currentIndex > 0 ? panel.walk(-1) : search.forceActiveFocus(Qt.BacktabFocusReason);
            }
            Keys.onDownPressed: event => {
                if (event.modifiers & Qt.AltModifier)
                    list.currentIndex = panel.picker.moveBy(list.currentIndex, 1);
                else
                    panel.walk(1);
            }
            Keys.onLeftPressed: event => {
                event.accepted = event.modifiers & Qt.AltModifier;
                if (event.accepted)
                    panel.picker.resizeBy(list.currentIndex, -Theme.spaceL);
            }
            Keys.onRightPressed: event => {
                event.accepted = event.modifiers & Qt.AltModifier;
                if (event.accepted)
                    panel.picker.resizeBy(list.currentIndex, Theme.spaceL);
            }
            Keys.onSpacePressed: panel.picker.toggle(list.currentIndex)
            Keys.onReturnPressed: panel.picker.reveal(list.currentIndex)
            Keys.onEnterPressed: panel.picker.reveal(list.currentIndex)
            Keys.onPressed: event => {
                event.accepted = event.text.trim() !== "" && !(event.modifiers & (Qt.ControlModifier | Qt.AltModifier)) && event.key !== Qt.Key_Escape && event.key !== Qt.Key_Delete && event.key !== Qt.Key_Backspace;
                if (event.accepted)
                    panel.type(event.text);
            }

            UiNote {
                anchors.centerIn: parent
                visible: list.count === 0
                text: "No lane has all of these words."
            }
        }
        UiSeparator {
            Layout.fillWidth: true
        }
        UiCheckBox {
            Layout.fillWidth: true
            Layout.leftMargin: Theme.spaceS
            Layout.topMargin: Theme.spaceXs
            Layout.bottomMargin: Theme.spaceXs
            text: "Throttling and settling"
            checked: panel.controller.overlays.visible
            onToggled: panel.controller.overlays.visible = checked
        }
        UiCheckBox {
            id: paths

            Layout.fillWidth: true
            Layout.leftMargin: Theme.spaceS
            Layout.bottomMargin: Theme.spaceXs
            text: "Critical path"
            checked: panel.controller.overlays.paths
            onToggled: panel.controller.overlays.paths = checked

            UiToolTip {
                wanted: paths.hovered || paths.visualFocus
                text: "What a step waits for, as a line from track to track"
                shortcut: KeyMap.hint("criticalPath")
            }
        }
        UiNote {
            Layout.fillWidth: true
            Layout.margins: Theme.spaceS
            Layout.topMargin: 0
            visible: text !== ""
            text: panel.controller.overlays.pathText
            wrapMode: Text.Wrap
        }
    }
    Rectangle {
        anchors.right: parent.right
        width: Theme.hairline
        height: parent.height
        color: Theme.line
    }
}
