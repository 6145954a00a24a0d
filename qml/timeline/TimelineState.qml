import QtQuick
import Trainscope
import Trainscope.App

// Empty, loading and error states of the lanes.
Item {
    id: state

    required property TimelineController controller

    UiText {
        anchors.centerIn: parent
        width: Math.min(parent.width - Theme.spaceXl, Theme.runListWidth + Theme.inspectorWidth)
        horizontalAlignment: Text.AlignHCenter
        wrapMode: Text.Wrap
        visible: text !== "" && state.controller.errorText === ""
        text: state.controller.emptyText
        color: Theme.textSecondary
    }
    UiRaised {
        anchors.bottom: parent.bottom
        anchors.horizontalCenter: parent.horizontalCenter
        anchors.bottomMargin: Theme.spaceM
        width: Math.min(parent.width - Theme.spaceXl, message.implicitWidth + Theme.spaceXl)
        height: message.height + Theme.spaceM
        visible: state.controller.errorText !== ""
        border.color: Theme.warning
        Accessible.role: Accessible.AlertMessage
        Accessible.name: state.controller.errorText

        UiText {
            id: message

            anchors.centerIn: parent
            width: parent.width - Theme.spaceL
            wrapMode: Text.Wrap
            text: state.controller.errorText
        }
    }
    // Only when it takes long: quick reads would flicker.
    Rectangle {
        id: busy

        y: state.controller.lanes.top
        width: parent.width
        height: Theme.hairline * 2
        color: Theme.accent
        visible: patience.done && state.controller.loading

        Timer {
            id: patience

            property bool done: false

            interval: Theme.toolTipDelay
            running: state.controller.loading
            onRunningChanged: done = false
            onTriggered: done = true
        }
    }
}
