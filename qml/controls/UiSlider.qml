import QtQuick
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// A place between two ends; another one is chosen by pointer, key or screen reader. `label` names it for
// screen readers.
T.Slider {
    id: slider

    property string label: ""
    property real place: 0
    signal chosen(real place)

    implicitWidth: Theme.hitTarget * 6
    implicitHeight: Theme.controlHeight
    padding: Theme.spaceXs
    focusPolicy: Qt.StrongFocus
    Accessible.role: Accessible.Slider
    Accessible.name: label
    Accessible.onIncreaseAction: slider.increase()
    Accessible.onDecreaseAction: slider.decrease()
    value: slider.between(place)
    // A screen reader sets the value and emits nothing else.
    onValueChanged: {
        if (slider.value !== slider.between(slider.place))
            slider.chosen(slider.value);
    }

    function between(place: real): real {
        return Math.max(slider.from, Math.min(place, slider.to));
    }

    background: Rectangle {
        x: slider.leftPadding
        y: (slider.height - height) / 2
        width: slider.availableWidth
        height: Theme.spaceXs
        radius: height / 2
        color: Theme.line

        Rectangle {
            width: slider.visualPosition * parent.width
            height: parent.height
            radius: parent.radius
            color: Theme.accent
        }
    }
    handle: Rectangle {
        x: slider.leftPadding + slider.visualPosition * (slider.availableWidth - width)
        y: (slider.height - height) / 2
        width: Theme.spaceM
        height: Theme.spaceM
        radius: width / 2
        color: slider.pressed || slider.hovered ? Theme.accent : Theme.panel
        border.width: 2 * Theme.hairline
        border.color: Theme.accent

        UiFocusRing {
            control: slider
        }
    }
}
