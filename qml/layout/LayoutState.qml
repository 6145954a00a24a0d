import QtQuick
import Trainscope
import Trainscope.App

// Empty, reading, stopped and error states of the layout.
Item {
    id: state

    required property LayoutController controller
    signal formWanted

    Column {
        anchors.centerIn: parent
        width: parent.width
        spacing: Theme.spaceM
        visible: !state.controller.ready || state.controller.errorText !== ""

        MessageBox {
            anchors.horizontalCenter: parent.horizontalCenter
            title: state.controller.errorText !== "" ? state.controller.errorText : state.controller.stopped ? qsTr("Stopped.") : state.controller.emptyTitle
            faulty: state.controller.errorText !== ""
            retry: state.controller.errorText !== "" || state.controller.stopped
            onRetryWanted: state.controller.readAgain()
        }
        UiButton {
            anchors.horizontalCenter: parent.horizontalCenter
            visible: state.controller.errorText !== "" && state.controller.enterable
            text: qsTr("Enter the layout…")
            onClicked: state.formWanted()
        }
    }
    BusyBox {
        anchors.horizontalCenter: parent.horizontalCenter
        anchors.bottom: parent.bottom
        anchors.bottomMargin: Theme.spaceL
        busy: state.controller.loading
        text: state.controller.progressText
        progress: state.controller.progress
        onCancelWanted: state.controller.cancel()
    }
}
