import QtQuick
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// One line of text. `label` names it for screen readers; `faulty` marks a text that cannot be used.
T.TextField {
    id: field

    property string label: placeholderText
    property bool faulty: false

    implicitWidth: Theme.hitTarget * 8
    implicitHeight: Theme.controlHeight
    leftPadding: Theme.spaceS
    rightPadding: Theme.spaceS
    verticalAlignment: TextInput.AlignVCenter
    color: enabled ? Theme.text : Theme.textMuted
    selectionColor: Theme.accent
    selectedTextColor: Theme.onAccent
    placeholderTextColor: Theme.textSecondary
    font.family: Theme.fontFamily
    font.pixelSize: Theme.bodySize
    selectByMouse: true
    activeFocusOnTab: true
    renderType: Text.NativeRendering
    Accessible.role: Accessible.EditableText
    Accessible.name: label

    UiText {
        anchors.fill: parent
        anchors.leftMargin: field.leftPadding
        anchors.rightMargin: field.rightPadding
        verticalAlignment: Text.AlignVCenter
        visible: field.text === "" && field.preeditText === ""
        text: field.placeholderText
        color: field.placeholderTextColor
        Accessible.ignored: true
    }
    background: Rectangle {
        radius: Theme.radius
        color: Theme.window
        border.width: Theme.hairline
        border.color: field.faulty ? Theme.warning : field.activeFocus ? Theme.accent : field.hovered ? Theme.outline : Theme.line

        UiFocusRing {
            control: field
        }
    }
}
