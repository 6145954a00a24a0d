import QtQuick
import Trainscope.App

// The hairline between surfaces. Lies unless `vertical`.
Rectangle {
    property bool vertical: false

    implicitWidth: Theme.hairline
    implicitHeight: Theme.hairline
    color: Theme.line
}
