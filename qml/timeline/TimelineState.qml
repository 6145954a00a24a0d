import QtQuick
import QtQuick.Layouts
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
    // The engine of a linked run is gone: what was had of it stays.
    UiRaised {
        objectName: "engineProblem"
        anchors.bottom: parent.bottom
        anchors.horizontalCenter: parent.horizontalCenter
        anchors.bottomMargin: Theme.spaceM
        width: Math.min(parent.width - Theme.spaceXl, engine.implicitWidth + Theme.spaceXl)
        height: engine.height + Theme.spaceM
        visible: state.controller.engineProblem !== ""
        border.color: Theme.warning
        Accessible.role: Accessible.AlertMessage
        Accessible.name: state.controller.engineProblem

        RowLayout {
            id: engine

            anchors.centerIn: parent
            width: parent.width - Theme.spaceL
            spacing: Theme.spaceM

            UiText {
                Layout.fillWidth: true
                wrapMode: Text.Wrap
                text: state.controller.engineProblem
            }
            UiButton {
                objectName: "askAgain"
                text: "Try again"
                onClicked: state.controller.askEngineAgain()
            }
        }
    }
    Rectangle {
        id: busy

        y: state.controller.lanes.top
        width: parent.width
        height: Theme.hairline * 2
        color: Theme.accent
        visible: patience.isLong

        UiPatience {
            id: patience

            busy: state.controller.loading || state.controller.asking
        }
    }
}
