pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// A choice among texts. `label` names it for screen readers.
T.ComboBox {
    id: combo

    property string label: ""

    implicitWidth: Theme.spaceXl * 7
    implicitHeight: Theme.controlHeight
    leftPadding: Theme.spaceS
    rightPadding: Theme.spaceXl
    focusPolicy: Qt.StrongFocus
    Accessible.name: label
    Accessible.description: displayText
    Accessible.onPressAction: combo.popup.open()

    contentItem: UiText {
        text: combo.displayText
        verticalAlignment: Text.AlignVCenter
        color: combo.enabled ? Theme.text : Theme.textMuted
    }
    indicator: Icon {
        x: combo.width - width - Theme.spaceS
        anchors.verticalCenter: parent.verticalCenter
        width: Theme.spaceM
        height: Theme.spaceM
        name: "chevronDown"
        color: Theme.textSecondary
    }
    background: Rectangle {
        radius: Theme.radius
        color: combo.hovered ? Theme.hovered : Theme.window
        border.width: Theme.hairline
        border.color: combo.hovered ? Theme.outline : Theme.line

        UiFocusRing {
            control: combo
        }
    }
    delegate: T.ItemDelegate {
        id: choice

        required property int index
        readonly property string label: combo.textAt(choice.index) // no text, where & makes keys

        width: combo.width
        implicitHeight: Theme.controlHeight
        leftPadding: Theme.spaceS
        highlighted: combo.highlightedIndex === choice.index
        Accessible.name: label
        Accessible.onPressAction: choice.clicked()

        contentItem: UiText {
            text: choice.label
            verticalAlignment: Text.AlignVCenter
        }
        background: Rectangle {
            color: choice.highlighted ? Theme.hovered : "transparent"
        }
    }
    popup: T.Popup {
        y: combo.height + Theme.hairline
        width: combo.width
        height: Math.min(contentItem.implicitHeight + topPadding + bottomPadding, Theme.spaceXl * 12)
        padding: Theme.hairline

        contentItem: ListView {
            clip: true
            implicitHeight: contentHeight
            model: combo.delegateModel
            currentIndex: combo.highlightedIndex
        }
        background: UiRaised {}
    }
}
