pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// A choice among texts. `label` names it for screen readers.
T.ComboBox {
    id: combo

    property string label: ""
    property bool faulty: false
    // Letters that were typed shortly after each other choose the first text that begins with them.
    property string typed: ""

    function isTyped(event): bool {
        return (/^[^\s\x00-\x1f\x7f]/.test(event.text) || (event.text === " " && typed !== "")) && !(event.modifiers & (Qt.ControlModifier | Qt.AltModifier));
    }
    function take(event) {
        event.accepted = isTyped(event);
        if (!event.accepted)
            return;
        typed += event.text.toLowerCase();
        pause.restart();
        const at = Array.from({length: count}, (none, i) => textAt(i)).findIndex(text => text.toLowerCase().startsWith(typed));
        const place = () => popup.visible ? highlightedIndex : currentIndex;
        for (let left = at < 0 ? 0 : count; left > 0 && place() !== at; --left)
            place() < at ? incrementCurrentIndex() : decrementCurrentIndex();
        if (at >= 0 && !popup.visible)
            activated(at);
    }

    Keys.onShortcutOverride: event => event.accepted = combo.isTyped(event)
    Keys.onPressed: event => combo.take(event)

    Timer {
        id: pause

        interval: 1000
        onTriggered: combo.typed = ""
    }
    implicitWidth: Theme.hitTarget * 7
    implicitHeight: Theme.controlHeight
    leftPadding: Theme.spaceS
    rightPadding: Theme.hitTarget
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
        width: Theme.hitTarget / 2
        height: Theme.hitTarget / 2
        name: "chevronDown"
        color: Theme.textSecondary
    }
    background: Rectangle {
        radius: Theme.radius
        color: combo.hovered ? Theme.hovered : Theme.window
        border.width: Theme.hairline
        border.color: combo.faulty ? Theme.warning : combo.hovered ? Theme.outline : Theme.line

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
        height: Math.min(contentItem.implicitHeight + topPadding + bottomPadding, Theme.hitTarget * 12)
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
