import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// Search, zoom, undo, time display, alignment and lanes.
UiBar {
    id: bar

    required property TimelineController controller
    readonly property bool roomy: width > Theme.cosyWidth
    property bool lanesOpen: false
    // The keyboard goes back to the lanes.
    signal done
    signal lanesWanted
    // The keyboard goes to the list of hits.
    signal hitsWanted

    function focusSearch() {
        field.forceActiveFocus(Qt.ShortcutFocusReason);
        field.selectAll();
    }

    implicitHeight: Theme.controlHeight + Theme.spaceM
    leftPadding: Theme.spaceS
    spacing: Theme.spaceXs
    enabled: controller.ready
    Accessible.role: Accessible.ToolBar
    Accessible.name: "Timeline tools"

    UiSearchField {
        id: field

        Layout.fillWidth: true
        Layout.maximumWidth: Theme.runListWidth
        Layout.minimumWidth: Theme.hitTarget * 5
        placeholderText: bar.roomy ? "Search kernels, metrics, marks" : "Search"
        keyHint: "/"
        text: bar.controller.search.text
        onTextEdited: bar.controller.search.text = text
        onTextChanged: bar.controller.search.text = text
        Keys.onPressed: event => {
            const enters = event.key === Qt.Key_Return || event.key === Qt.Key_Enter;
            if (!enters)
                return;
            event.accepted = true;
            (event.modifiers & Qt.ShiftModifier) ? bar.controller.search.previous() : bar.controller.search.next();
        }
        Keys.onDownPressed: bar.hitsWanted()
        Keys.onEscapePressed: {
            clear();
            bar.done();
        }
    }
    UiNote {
        visible: text !== ""
        text: bar.controller.search.statusText
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }
    UiIconButton {
        visible: bar.controller.search.hasMatches
        iconName: "chevronUp"
        text: "Previous match"
        shortcutText: "Shift+F3"
        onClicked: bar.controller.search.previous()
    }
    UiIconButton {
        visible: bar.controller.search.hasMatches
        iconName: "chevronDown"
        text: "Next match"
        shortcutText: "F3"
        onClicked: bar.controller.search.next()
    }
    Item {
        Layout.fillWidth: true
    }
    UiNote {
        visible: text !== ""
        text: bar.controller.runsNote
    }
    UiNote {
        visible: bar.roomy
        text: bar.controller.navigation.windowText
    }
    UiButton {
        visible: bar.controller.navigation.growing
        checkable: true
        checked: bar.controller.navigation.following
        text: bar.controller.navigation.following ? "Live" : "Paused"
        toolTip: bar.controller.navigation.following ? "A recorder adds to this run; hold the window still" : "A recorder adds to this run; go to its end and follow"
        onToggled: bar.controller.navigation.following = checked
    }
    UiIconButton {
        iconName: "minus"
        text: "Zoom out"
        shortcutText: "S"
        onClicked: bar.controller.navigation.zoomOut()
    }
    UiIconButton {
        iconName: "plus"
        text: "Zoom in"
        shortcutText: "W"
        onClicked: bar.controller.navigation.zoomIn()
    }
    UiIconButton {
        iconName: "fit"
        text: "Fit the selection, or everything"
        shortcutText: "F"
        onClicked: bar.controller.fitSelection()
    }
    UiIconButton {
        iconName: "undo"
        text: "Undo zoom, arrangement or marks"
        shortcutText: "Ctrl+Z"
        enabled: bar.controller.navigation.canUndo
        onClicked: bar.controller.navigation.undo()
    }
    UiIconButton {
        iconName: "redo"
        text: "Redo"
        shortcutText: "Ctrl+Shift+Z"
        enabled: bar.controller.navigation.canRedo
        onClicked: bar.controller.navigation.redo()
    }
    UiIconButton {
        iconName: "flag"
        text: "Mark the selection, the cursor or the middle of the view"
        shortcutText: "M"
        onClicked: bar.controller.marks.mark()
    }
    UiComboBox {
        implicitWidth: Theme.hitTarget * 4 + Theme.spaceM
        label: "Time shown as"
        model: bar.controller.navigation.timeDisplays
        currentIndex: bar.controller.navigation.timeDisplay
        onActivated: index => bar.controller.navigation.timeDisplay = index
    }
    UiButton {
        id: alignButton

        menu: bar.roomy
        iconName: bar.roomy ? "" : "clock"
        text: bar.roomy ? bar.controller.alignment.title : "Align"
        toolTip: alignment.visible ? "" : "How the runs are laid over each other"
        onClicked: alignment.open()

        AlignmentPopup {
            id: alignment

            y: alignButton.height + Theme.spaceXs
            controller: bar.controller
        }
    }
    UiButton {
        objectName: "lanesButton"
        iconName: bar.roomy ? "" : "lines"
        text: "Lanes"
        checked: bar.lanesOpen
        toolTip: "The list of lanes: what is shown, in which order, how high"
        shortcutText: "E"
        onClicked: bar.lanesWanted()
    }
}
