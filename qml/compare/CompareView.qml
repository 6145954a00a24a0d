import QtQuick
import Trainscope
import Trainscope.App

// Runs side by side.
ViewPage {
    id: view

    kind: BenchState.Compare
    body: place
    Accessible.role: Accessible.Pane
    Accessible.name: qsTr("Compare")

    FocusScope {
        id: place

        anchors.fill: parent
        focus: true

        MessageBox {
            anchors.centerIn: parent
            title: qsTr("Choose two runs or more on the left.")
        }
    }
}
