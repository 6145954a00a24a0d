import QtQuick
import Trainscope
import Trainscope.App

// The line between two parts that can be dragged.
Item {
    property bool vertical: false

    implicitWidth: Theme.spaceXs
    implicitHeight: Theme.spaceXs

    UiSeparator {
        anchors.centerIn: parent
        vertical: parent.vertical
        width: vertical ? Theme.hairline : parent.width
        height: vertical ? parent.height : Theme.hairline
    }
}
