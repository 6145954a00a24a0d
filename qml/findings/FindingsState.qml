import QtQuick
import Trainscope
import Trainscope.App

// Empty, reading, stopped and error states of the findings.
Item {
    id: state

    required property FindingsController controller

    BusyBox {
        anchors.horizontalCenter: parent.horizontalCenter
        anchors.bottom: parent.bottom
        anchors.bottomMargin: Theme.spaceL
        busy: state.controller.loading
        text: state.controller.progressText
        progress: state.controller.progress
        onCancelWanted: state.controller.cancel()
    }
    MessageBox {
        anchors.centerIn: parent
        title: state.controller.errorText !== "" ? state.controller.errorText : state.controller.stopped ? qsTr("Stopped.") : state.controller.emptyTitle
        text: state.controller.emptyText
        faulty: state.controller.errorText !== ""
        retry: state.controller.errorText !== "" || state.controller.stopped
        onRetryWanted: state.controller.readAgain()
    }
}
