import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// A strip along an edge of a view, with its parts in a row and the line to the view; higher where a
// text of it takes several lines.
Rectangle {
    id: bar

    default property alias content: row.data
    property bool lower: false // at the lower edge
    property real leftPadding: Theme.spaceM
    property real rightPadding: Theme.spaceS
    property alias spacing: row.spacing

    implicitHeight: Math.max(Theme.controlHeight, row.implicitHeight) + Theme.spaceS
    color: Theme.panel

    RowLayout {
        id: row

        anchors.fill: parent
        anchors.leftMargin: bar.leftPadding
        anchors.rightMargin: bar.rightPadding
        spacing: Theme.spaceM
    }
    UiSeparator {
        y: bar.lower ? 0 : parent.height - height
        width: parent.width
    }
}
