pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// Labelled values under each other.
Column {
    id: list

    required property FactListModel facts

    Layout.fillWidth: true
    spacing: Theme.spaceXs
    Accessible.role: Accessible.List

    Repeater {
        model: list.facts
        delegate: FactRow {
            width: list.width
        }
    }
}
