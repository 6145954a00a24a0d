pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// A row of the list of lanes: a lane that is shown, with what can be changed of it, or one that could be.
Item {
    id: row

    required property LanePicker picker
    required property int index
    required property string title
    required property string section
    required property bool first
    required property int lane
    required property int choice
    required property bool shown
    required property bool fold
    required property list<string> styles
    required property int style
    required property string chosenHeight
    required property bool current
    required property bool derived
    readonly property real headHeight: row.first ? head.height : 0
    readonly property bool ordered: row.lane >= 0
    readonly property bool lacking: row.lane < 0 && row.choice < 0 && !row.fold
    signal chosen
    signal changeWanted
    signal dragged(real sceneY)
    signal dropped

    implicitHeight: headHeight + Theme.hitTarget + Theme.spaceXs
    Accessible.role: row.fold ? Accessible.Button : Accessible.CheckBox
    Accessible.name: row.title
    Accessible.checkable: !row.fold && !row.lacking
    Accessible.checked: row.shown
    Accessible.onPressAction: row.picker.toggle(row.index)
    Accessible.onToggleAction: row.picker.toggle(row.index)

    UiSectionHeader {
        id: head

        x: Theme.spaceM
        visible: row.first
        topPadding: Theme.spaceM
        bottomPadding: Theme.spaceXs
        text: row.section
    }
    Rectangle {
        anchors.fill: parent
        anchors.topMargin: row.headHeight
        color: row.current ? Theme.raised : hover.hovered ? Theme.hovered : "transparent"
    }
    Rectangle {
        y: row.headHeight
        width: Theme.hairline * 3
        height: parent.height - y
        visible: row.current
        color: Theme.accent
    }
    HoverHandler {
        id: hover
    }
    TapHandler {
        onTapped: {
            row.chosen();
            row.ordered ? row.picker.reveal(row.index) : row.picker.toggle(row.index);
        }
    }
    RowLayout {
        anchors.fill: parent
        anchors.topMargin: row.headHeight
        anchors.leftMargin: Theme.spaceS
        anchors.rightMargin: Theme.spaceM
        spacing: Theme.spaceXs

        Item {
            implicitWidth: Theme.iconSize
            implicitHeight: Theme.hitTarget
            visible: row.ordered

            Icon {
                anchors.centerIn: parent
                name: "grip"
                color: Theme.textSecondary
            }
            HoverHandler {
                cursorShape: Qt.OpenHandCursor
            }
            DragHandler {
                target: null
                cursorShape: Qt.ClosedHandCursor
                onActiveTranslationChanged: {
                    if (active)
                        row.dragged(centroid.scenePosition.y);
                }
                onActiveChanged: {
                    if (!active)
                        row.dropped();
                }
            }
        }
        Icon {
            visible: row.fold
            name: row.shown ? "chevronDown" : "chevronRight"
            color: Theme.textSecondary
        }
        UiCheckBox {
            objectName: "tick"
            visible: !row.fold
            enabled: !row.lacking
            focusPolicy: Qt.NoFocus
            checked: row.shown
            // The model says what is shown.
            nextCheckState: () => checkState
            onClicked: {
                row.chosen();
                row.picker.toggle(row.index);
            }
            Accessible.ignored: true
        }
        UiName {
            Layout.fillWidth: true
            text: row.title
            color: row.lacking ? Theme.textMuted : Theme.text
        }
        UiIconButton {
            objectName: "changeDerived"
            implicitWidth: Theme.hitTarget
            implicitHeight: Theme.hitTarget
            visible: row.derived && row.ordered && (row.current || hover.hovered)
            focusPolicy: Qt.NoFocus
            iconName: "edit"
            text: "Change name and formula"
            onClicked: row.changeWanted()
        }
        UiComboBox {
            objectName: "drawnAs"
            implicitWidth: Theme.hitTarget * 3 + Theme.spaceS
            implicitHeight: Theme.hitTarget
            visible: row.ordered && row.styles.length > 0
            label: "How %1 is drawn".arg(row.title)
            model: row.styles
            currentIndex: row.style
            onActivated: index => row.picker.setStyle(row.index, index)
        }
        UiTextField {
            objectName: "height"
            implicitWidth: Theme.hitTarget * 2
            implicitHeight: Theme.hitTarget
            visible: row.ordered
            placeholderText: "auto"
            label: "Height of %1 in pixels; empty: a share of the window".arg(row.title)
            text: row.chosenHeight
            onTextEdited: faulty = false
            onEditingFinished: faulty = !row.picker.setHeight(row.index, text)
        }
    }
}
