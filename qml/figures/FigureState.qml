import QtQuick
import Trainscope
import Trainscope.App

// Empty, loading, stopped and error states of a figure.
Item {
    id: state

    required property DrawnView controller

    MessageBox {
        anchors.centerIn: parent
        title: state.controller.errorText !== "" ? state.controller.errorText : state.controller.stopped ? qsTr("Stopped.") : state.controller.emptyText
        faulty: state.controller.errorText !== ""
        retry: state.controller.errorText !== "" || state.controller.stopped
        onRetryWanted: state.controller.readAgain()
    }
    BusyBox {
        anchors.centerIn: parent
        busy: state.controller.loading
        text: state.controller.progressText
        progress: state.controller.progress
        onCancelWanted: state.controller.cancel()
    }
}
