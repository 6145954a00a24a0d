pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// The form at the left: where the job comes from, and its fields.
FocusScope {
    id: pane

    required property PredictController controller

    implicitWidth: Theme.runListWidth
    Accessible.role: Accessible.Pane
    Accessible.name: "What is predicted"

    Rectangle {
        anchors.fill: parent
        color: Theme.panel
    }
    UiSeparator {
        anchors.right: parent.right
        width: Theme.hairline
        height: parent.height
    }
    Flickable {
        id: flick

        anchors.fill: parent
        contentHeight: column.height + 2 * Theme.spaceM
        boundsBehavior: Flickable.StopAtBounds
        clip: true
        UiScrollBar.vertical: UiScrollBar {}

        UiFollowFocus {
            scrolled: flick
        }
        Column {
            id: column

            x: Theme.spaceM
            y: Theme.spaceM
            width: flick.width - 2 * Theme.spaceM - Theme.spaceXs
            spacing: Theme.spaceXs

            Repeater {
                model: pane.controller.form
                delegate: UiFormField {
                    width: column.width
                    onEdited: text => pane.controller.form.set(key, text)
                    onMoved: place => pane.controller.form.slide(key, place)
                    onStepped: up => pane.controller.form.step(key, up)
                }
            }
        }
    }
}
