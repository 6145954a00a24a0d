pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// The form at the left: where the job comes from, and its fields.
InspectorPane {
    id: pane

    required property PredictController controller

    implicitWidth: Theme.runListWidth
    leading: true
    Accessible.name: "What is predicted"

    Repeater {
        model: pane.controller.form
        delegate: UiFormField {
            Layout.fillWidth: true
            onEdited: text => pane.controller.form.set(key, text)
            onMoved: place => pane.controller.form.slide(key, place)
            onStepped: up => pane.controller.form.step(key, up)
        }
    }
}
