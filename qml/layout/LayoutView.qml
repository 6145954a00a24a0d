import QtQuick
import Trainscope
import Trainscope.App

// Where the ranks of a run sit, and what they exchange.
ViewPage {
    id: view

    kind: BenchState.Layout
    body: place
    Accessible.role: Accessible.Pane
    Accessible.name: qsTr("Layout")

    FocusScope {
        id: place

        anchors.fill: parent
        focus: true

        MessageBox {
            anchors.centerIn: parent
            title: qsTr("Choose a run on the left.")
        }
    }
}
