import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// A table of the inspector under its title and the time that it is of.
Column {
    id: titled

    required property TableModel table
    property string title: table.title
    property string over: "" // "over the selected 12.3 s"
    property alias most: figures.most
    property alias stacked: figures.stacked

    Layout.fillWidth: true
    topPadding: Theme.spaceS
    spacing: Theme.spaceXs
    visible: titled.table.count > 0

    InspectorHead {
        width: titled.width
        text: titled.over === "" ? titled.title : "%1 · %2".arg(titled.title).arg(titled.over)
    }
    FigureTable {
        id: figures

        width: titled.width
        table: titled.table
        Accessible.name: titled.title
    }
}
