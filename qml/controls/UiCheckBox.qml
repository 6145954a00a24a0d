import QtQuick
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// `checkState` may say that only some of many are checked; a click then checks all. toggled() is
// not emitted if `nextCheckState` is given.
T.CheckBox {
    id: box

    property string label: text

    implicitWidth: implicitContentWidth + leftPadding + rightPadding
    implicitHeight: Theme.hitTarget
    leftPadding: text === "" ? Theme.hitTarget : Theme.hitTarget + Theme.spaceXs
    focusPolicy: Qt.StrongFocus
    Accessible.name: label
    Accessible.onPressAction: box.press()
    Accessible.onToggleAction: box.press()

    // As the pointer does.
    function press() {
        if (!box.enabled)
            return;
        if (!box.nextCheckState) {
            box.toggle();
            box.toggled();
        }
        box.clicked();
    }

    indicator: Rectangle {
        x: (Theme.hitTarget - width) / 2
        anchors.verticalCenter: parent.verticalCenter
        width: Theme.iconSize
        height: Theme.iconSize
        radius: Theme.radius - Theme.hairline
        color: box.checkState !== Qt.Unchecked ? Theme.accent : Theme.window
        border.width: Theme.hairline
        border.color: box.checkState !== Qt.Unchecked ? Theme.accent : Theme.outline

        Icon {
            anchors.fill: parent
            visible: box.checkState !== Qt.Unchecked
            name: box.checkState === Qt.PartiallyChecked ? "minus" : "check"
            color: Theme.onAccent
        }
        UiFocusRing {
            control: box
        }
    }
    contentItem: UiText {
        text: box.text
        verticalAlignment: Text.AlignVCenter
        color: box.enabled ? Theme.text : Theme.textMuted
    }
}
