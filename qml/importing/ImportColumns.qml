import QtQuick
import Trainscope.App

// The widths that the rows of the import sheet and their heads share; the name takes the rest.
QtObject {
    readonly property real fold: Theme.hitTarget
    readonly property real run: Theme.spaceXl * 6
    readonly property real rank: Theme.spaceXl * 2
    readonly property real clock: Theme.spaceXl * 4.5
    readonly property real offset: Theme.spaceXl * 6.5
    readonly property real gpu: Theme.spaceXl * 7
    readonly property real size: Theme.spaceXl * 3
}
