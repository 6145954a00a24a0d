import QtQuick
import Trainscope.App

// The hairline between surfaces.
Rectangle {
    implicitWidth: Theme.hairline
    implicitHeight: Theme.hairline
    color: Theme.line
}
