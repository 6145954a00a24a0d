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
    // An error; or the engine of a linked run is gone, and what was had of it stays; or it was never asked, since only the
    // database names it.
    UiRaised {
        id: problem

        readonly property string text: state.controller.errorText || state.controller.engineProblem
        // Beside the names of lanes, where the values at the cursor stand.
        readonly property real namesWidth: state.controller.ready ? state.controller.navigation.plotX : 0

        objectName: "engineProblem"
        anchors.bottom: parent.bottom
        anchors.horizontalCenter: parent.horizontalCenter
        anchors.horizontalCenterOffset: namesWidth / 2
        anchors.bottomMargin: Theme.spaceM
        width: Math.min(parent.width - namesWidth - Theme.spaceXl, engine.implicitWidth + Theme.spaceXl)
        height: engine.height + Theme.spaceM
        visible: text !== ""
        border.color: Theme.warning
        Accessible.role: Accessible.AlertMessage
        Accessible.name: text

        RowLayout {
            id: engine

            anchors.centerIn: parent
            width: parent.width - Theme.spaceL
            spacing: Theme.spaceM

            UiText {
                Layout.fillWidth: true
                wrapMode: Text.Wrap
                text: problem.text
            }
            UiButton {
                objectName: "askEngine"
                visible: state.controller.errorText === ""
                text: state.controller.engineOffer
                onClicked: state.controller.askEngine()
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
