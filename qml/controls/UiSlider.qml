import QtQuick
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// A place between two ends. `label` names it for screen readers.
T.Slider {
    id: slider

    property string label: ""

    implicitWidth: Theme.spaceXl * 6
    implicitHeight: Theme.controlHeight
    padding: Theme.spaceXs
    focusPolicy: Qt.StrongFocus
    Accessible.role: Accessible.Slider
    Accessible.name: label
    Accessible.onIncreaseAction: {
        slider.increase();
        slider.moved();
    }
    Accessible.onDecreaseAction: {
        slider.decrease();
        slider.moved();
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
            visible: slider.visualFocus
        }
    }
}
