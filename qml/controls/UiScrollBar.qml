import QtQuick
import QtQuick.Templates as T
import Trainscope.App

T.ScrollBar {
    id: bar

    implicitWidth: Theme.spaceM
    implicitHeight: Theme.spaceM
    padding: Theme.spaceXs
    minimumSize: 0.08
    Accessible.name: horizontal ? "Scroll sideways" : "Scroll"
    visible: policy !== T.ScrollBar.AlwaysOff && size < 1.0

    contentItem: Rectangle {
        implicitWidth: Theme.spaceXs
        implicitHeight: Theme.spaceXs
        radius: width / 2
        color: bar.pressed ? Theme.text : bar.hovered ? Theme.textSecondary : Theme.outline
        opacity: bar.hovered || bar.pressed ? 1 : 0.6
    }
}
