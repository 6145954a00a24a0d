import QtQuick
import Trainscope
import Trainscope.App

// Empty, reading, stopped and error states of a view.
Item {
    id: state

    required property DatabaseView controller
    required property string emptyTitle
    property string emptyText: ""
    // The progress of a reading stands at the lower edge, where there is something to see already.
    property bool below: false
    property bool hidden: false
    default property alias actions: column.data // below the message

    Column {
        id: column

        anchors.centerIn: parent
        width: parent.width
        spacing: Theme.spaceM
        visible: !state.hidden || state.controller.errorText !== ""

        MessageBox {
            anchors.horizontalCenter: parent.horizontalCenter
            title: state.controller.errorText !== "" ? state.controller.errorText : state.controller.stopped ? "Stopped." : state.emptyTitle
            text: state.emptyText
            faulty: state.controller.errorText !== ""
            retry: state.controller.errorText !== "" || state.controller.stopped
            onRetryWanted: state.controller.readAgain()
        }
    }
    BusyBox {
        anchors.horizontalCenter: parent.horizontalCenter
        y: state.below ? parent.height - height - Theme.spaceL : (parent.height - height) / 2
        busy: state.controller.loading
        text: state.controller.progress.text
        progress: state.controller.progress.fraction
        onCancelWanted: state.controller.cancel()
    }
}
