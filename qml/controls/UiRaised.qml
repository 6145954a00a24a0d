import QtQuick
import Trainscope.App

// The box of what lies above the window: menus, tips, small tools.
Rectangle {
    color: Theme.raised
    border.color: Theme.line
    border.width: Theme.hairline
    radius: Theme.radius
}
