pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// The views of a place that has several, in a line above them.
Rectangle {
    id: bar

    required property Session session

    implicitHeight: Theme.controlHeight + Theme.spaceS
    color: Theme.panel
    Accessible.role: Accessible.PageTabList
    Accessible.name: "Views of %1".arg(session.places.titles[session.places.place])

    Row {
        x: Theme.spaceS
        anchors.verticalCenter: parent.verticalCenter
        spacing: Theme.spaceXs

        Repeater {
            model: bar.session.places.shown
            delegate: UiTab {
                required property int modelData

                objectName: "view" + modelData
                text: bar.session.views.titles[modelData]
                shortcutText: KeyMap.hint("view" + modelData)
                reason: modelData === Views.Spectrum ? bar.session.places.spectrumReason : ""
                checked: bar.session.views.view === modelData
                onClicked: bar.session.views.view = modelData
            }
        }
    }
    UiSeparator {
        anchors.bottom: parent.bottom
        width: parent.width
    }
}
