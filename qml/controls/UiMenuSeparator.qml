import QtQuick
import QtQuick.Templates as T
import Trainscope.App

T.MenuSeparator {
    implicitHeight: Theme.spaceS + Theme.hairline
    topPadding: Theme.spaceXs
    bottomPadding: Theme.spaceXs
    contentItem: Rectangle {
        implicitHeight: Theme.hairline
        color: Theme.line
    }
}
